import { sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { accessAnchors, nodeAccess } from '../../database/schema/access.ts';
import { references } from '../../database/schema/references.ts';
import { namesOf } from '../../database/sql.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import { isMemberOf } from '../relations.ts';
import type { AccessState } from './access-state.ts';
import { LAST_SEQUENCE, placeAgain } from './placement.ts';

/** Other writes wait for a transaction: this many nodes take some 20 ms. */
const NODES_AT_ONCE = 2_000;

const insertAnchor = prepare(({ id }: Named<{ readonly id: number }>) =>
  plain(sql`INSERT INTO ${accessAnchors} (${namesOf(accessAnchors.nid, accessAnchors.isWhole)}) VALUES (${id}, 0)
    ON CONFLICT DO NOTHING`),
);
const completeAnchor = prepare(({ id }: Named<{ readonly id: number }>) =>
  plain(sql`UPDATE ${accessAnchors} SET ${namesOf(accessAnchors.isWhole)} = 1 WHERE ${accessAnchors.nid} = ${id}`),
);

type Page = { readonly parents: string; readonly after: number; readonly limit: number };

/**
 * Finds the next members of nodes, and whether their members depend on their sets: those of a node may do so to which not all
 * refer yet.
 */
const findMembers = prepare(({ parents, after, limit }: Named<Page>) =>
  plain(
    sql`SELECT DISTINCT ${references.sourceId},
        NOT EXISTS (SELECT 1 FROM ${accessAnchors}
          WHERE ${accessAnchors.nid} = ${references.sourceId} AND ${accessAnchors.isWhole} = 1)
      FROM json_each(${parents}) parent CROSS JOIN ${references} ON ${isMemberOf(references, sql`parent.value`)}
      WHERE ${references.sourceId} > ${after} ORDER BY ${references.sourceId} LIMIT ${limit}`,
    { id: references.sourceId, isOpen: sql<number>`is_open` },
  ),
);

interface AnchorServices {
  readonly database: Database;
  readonly access: Pick<AccessState, 'refresh'>;
  readonly now: () => number;
}

/**
 * Makes the members of a node refer to it, so that a change of its set is one row. What they refer to before and after has the
 * same rules: nothing opens or closes, not even while this runs or if it is interrupted. It takes some seconds for 100,000
 * nodes below it; a further call does the rest.
 */
export async function anchorNode(services: AnchorServices, id: number): Promise<void> {
  const { database, now } = services;
  await database.write([insertAnchor({ id })]);
  const seen = new Set([id]);
  let parents = [id];
  while (parents.length > 0) {
    const next: number[] = [];
    for (let after = 0; ; ) {
      const page = { parents: JSON.stringify(parents), after, limit: NODES_AT_ONCE };
      const members = await database.all(findMembers(page));
      const last = members.at(-1);
      if (last === undefined) break;
      after = last.id;
      await database.write(
        placeAgain(
          members.map((each) => each.id),
          now(),
        ),
      );
      for (const each of members)
        if (each.isOpen === 1 && !seen.has(each.id)) {
          seen.add(each.id);
          next.push(each.id);
        }
    }
    parents = next;
  }
  await database.write([completeAnchor({ id })]);
  await services.access.refresh();
}

const findUnanchored = prepare(({ ids }: Named<{ readonly ids: string }>) =>
  plain(
    sql`SELECT value FROM json_each(${ids}) node WHERE NOT EXISTS (SELECT 1 FROM ${accessAnchors}
      WHERE ${accessAnchors.nid} = node.value AND ${accessAnchors.isWhole} = 1)`,
    { id: sql<number>`id` },
  ),
);

/** Makes the members of those nodes refer to them that do not yet. */
export async function anchorNodes(services: AnchorServices, ids: readonly number[]): Promise<void> {
  for (const { id } of await services.database.all(findUnanchored({ ids: JSON.stringify(ids) })))
    await anchorNode(services, id);
}

const findPartial = prepare(() =>
  plain(sql`SELECT ${accessAnchors.nid} FROM ${accessAnchors} WHERE ${accessAnchors.isWhole} = 0`, {
    id: accessAnchors.nid,
  }),
);

/** Completes what an upgrade or an interrupted run has begun. To be called before the first request. */
export async function completeAnchors(services: AnchorServices): Promise<void> {
  for (const { id } of await services.database.all(findPartial())) await anchorNode(services, id);
  await services.access.refresh();
}

const grant = prepare(({ id, now }: Named<{ readonly id: number; readonly now: number }>) =>
  plain(sql`INSERT INTO ${nodeAccess} (${namesOf(nodeAccess.nid, nodeAccess.setId, nodeAccess.isGranted, nodeAccess.sequence, nodeAccess.changed)})
    SELECT ${id}, 0, 1, ${LAST_SEQUENCE} + 1, ${now} WHERE true
    ON CONFLICT (${namesOf(nodeAccess.nid)}) DO UPDATE SET ${namesOf(nodeAccess.isGranted)} = 1`),
);

/** Gives a node and its members sets of their own, which links can open (`Circumstances.granted`). */
export async function openToLinks(services: AnchorServices, id: number): Promise<void> {
  await anchorNodes(services, [id]);
  const now = services.now();
  await services.database.write([grant({ id, now }), ...placeAgain([id], now)]);
  await services.access.refresh();
}
