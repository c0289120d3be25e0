import { type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { references } from '../../database/schema/references.ts';
import { usageDays } from '../../database/schema/usage.ts';
import { excluded, namesOf } from '../../database/sql.ts';
import { isParentOf } from '../relations.ts';

/** The subjects of the numbers: an item, a file, all items within a node, and all items (with the id 0). */
export const SUBJECT = { item: 1, file: 2, within: 3, repository: 4 } as const;

const NUMBERS = [
  usageDays.totalInvestigations,
  usageDays.uniqueInvestigations,
  usageDays.totalRequests,
  usageDays.uniqueRequests,
] as const;
const ADDED = sql.join(
  NUMBERS.map((column) => sql`${sql.identifier(column.name)} = ${column} + ${excluded(column)}`),
  sql`, `,
);
const COLUMNS = namesOf(usageDays.kind, usageDays.id, usageDays.day, ...NUMBERS);
const INSERT = sql`INSERT INTO ${usageDays} (${COLUMNS})`;
const ADD = sql`ON CONFLICT DO UPDATE SET ${ADDED}`;
const SUMS = sql`sum(investigations), sum(unique_investigations), sum(requests), sum(unique_requests)`;
const parent = alias(references, 'r');

const kindOf = (subject: keyof typeof SUBJECT) => sql.raw(String(SUBJECT[subject]));

/**
 * Returns the statement that adds the numbers of a query to those of a kind of subject. Such a query has the columns id, day,
 * investigations, unique_investigations, requests and unique_requests.
 */
export function addOwn(subject: keyof typeof SUBJECT, counted: SQL): SQL {
  return sql`${INSERT} SELECT ${kindOf(subject)}, counted.* FROM (${counted}) counted WHERE TRUE ${ADD}`;
}

/**
 * Returns the statement that adds the numbers of items to those of the nodes that contain them, at any depth. They stay when an
 * item moves or is deleted. CROSS JOIN keeps the order of tables: SQLite would read the references of all nodes instead.
 */
export function addWithin(counted: SQL): SQL {
  return sql`WITH RECURSIVE
      counted AS MATERIALIZED (${counted}),
      above (id, ancestor) AS (
        SELECT counted.id, ${parent.targetId} FROM counted CROSS JOIN ${references} ${parent} ON ${isParentOf(parent, sql`counted.id`)}
        UNION
        SELECT above.id, ${parent.targetId} FROM above CROSS JOIN ${references} ${parent} ON ${isParentOf(parent, sql`above.ancestor`)}
      )
    ${INSERT} SELECT ${kindOf('within')}, ancestor, day, ${SUMS}
    FROM counted JOIN above ON above.id = counted.id WHERE ancestor <> counted.id GROUP BY ancestor, day ${ADD}`;
}

/** Returns the statement that adds the numbers of items to those of all items. */
export function addToAll(counted: SQL): SQL {
  return sql`${INSERT} SELECT ${kindOf('repository')}, 0, day, ${SUMS} FROM (${counted}) counted WHERE TRUE GROUP BY day ${ADD}`;
}

/** Returns the statement that sets the numbers of a query, which has the columns of a row in their order. */
export function setNumbers(rows: SQL): SQL {
  return sql`INSERT OR REPLACE INTO ${usageDays} (${COLUMNS}) ${rows}`;
}
