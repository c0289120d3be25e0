import { eq, sql } from 'drizzle-orm';
import { ServiceError } from '../../../base/errors.ts';
import { madeOnce } from '../../../base/made-once.ts';
import type { Database } from '../../../database/database.ts';
import { isOutcomeUnknown } from '../../../database/errors.ts';
import { query } from '../../../database/query-builder.ts';
import { nodes } from '../../../database/schema/content.ts';
import { pathAliases } from '../../../database/schema/system.ts';
import { namesOf } from '../../../database/sql.ts';
import { type Named, plain, prepare, type Statement } from '../../../database/statement.ts';
import { createInserts } from '../../search-index/index-statements.ts';
import type { ContentKind } from '../kinds.ts';
import {
  COLUMNS,
  type ContentWrite,
  documentOfParts,
  joinLists,
  lastIdOf,
  nextIdOf,
  type RowValues,
  rowValues,
} from './content-rows.ts';
import { findSet, isPlaced, placementStatements } from './place-content.ts';
import { referenceStatements } from './reference-statements.ts';
import { belongingStatements, conflictError } from './write-content.ts';
import { revisionValues } from './write-revision.ts';

/** Maximum number of rows in one transaction: each caller waits for all. */
const MAX_GROUP = 64;
/** Maximum total length of their documents, in characters. */
const MAX_GROUP_CHARS = 1024 * 1024;

/** The ids of a new row. */
interface InsertedIds {
  readonly id: number;
  readonly revisionId: number;
  readonly aliasId: number | null;
  readonly accessSet: number;
}

/**
 * Inserts content with revision, references, URIs and alias, all or nothing. Rejects with a failed guard if a target
 * was deleted meanwhile.
 */
export type InsertContent = (write: ContentWrite) => Promise<InsertedIds>;

interface WaitingWrite {
  readonly write: ContentWrite;
  readonly resolve: (ids: InsertedIds) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Creates the function that inserts content. Simultaneous inserts of nodes share a transaction; if it fails, each is
 * inserted alone, so that no failure affects another node.
 */
export function createInsert(database: Database): InsertContent {
  let waiting: WaitingWrite[] = [];

  const insertOne = async (write: ContentWrite) => {
    try {
      const [ids] = await insertAll(database, write.kind, [write]);
      return ids as InsertedIds;
    } catch (error) {
      throw conflictError(error, write);
    }
  };
  const insertTogether = async (group: readonly WaitingWrite[]) => {
    const [first] = group as [WaitingWrite];
    const writes = group.map(({ write }) => write);
    const outcome =
      group.length === 1 ? undefined : await insertAll(database, first.write.kind, writes).catch(failureOfAll);
    for (const [index, { write, resolve, reject }] of group.entries()) {
      if (outcome === undefined) insertOne(write).then(resolve, reject);
      else if ('error' in outcome) reject(outcome.error);
      else resolve(outcome[index] as InsertedIds);
    }
  };
  const flush = () => {
    const all = waiting;
    waiting = [];
    for (const group of groupsOf(all)) void insertTogether(group);
  };
  return (write) => {
    // Preceding statements may depend on another row of the group.
    if (write.kind.type !== 'node' || write.before.length > 0) return insertOne(write);
    return new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ write, resolve, reject });
    });
  };
}

function* groupsOf(all: readonly WaitingWrite[]): Generator<WaitingWrite[]> {
  let group: WaitingWrite[] = [];
  let chars = 0;
  for (const each of all) {
    const { length } = each.write.rest;
    const isOther = (each.write.id === undefined) !== (group[0]?.write.id === undefined);
    const isFull = group.length === MAX_GROUP || chars + length > MAX_GROUP_CHARS;
    if (group.length > 0 && (isOther || isFull)) {
      yield group;
      [group, chars] = [[], 0];
    }
    group.push(each);
    chars += length;
  }
  yield group;
}

/** Returns the failure of all rows of a group; undefined if one row may be the reason. */
function failureOfAll(error: unknown): { readonly error: unknown } | undefined {
  const isOfAll = error instanceof ServiceError && (error.kind === 'unavailable' || error.kind === 'database-locked');
  return isOfAll || isOutcomeUnknown(error) ? { error } : undefined;
}

const statementsOf = madeOnce(({ table, revisionTable }: ContentKind) => {
  const { id, entityId, created, userId, log, checksum } = revisionTable;
  const [next, nextRevision] = [nextIdOf(table), nextIdOf(revisionTable)];
  return {
    /** `list` has the values of each revision, and the reserved id of its entity. */
    insertRevisions: prepare(({ list }: Named<{ list: string }>) =>
      plain(
        sql`INSERT INTO ${revisionTable} (${namesOf(id, entityId, created, userId, log, checksum)})
        SELECT ${nextRevision} + j.key, coalesce(j.value ->> 4, ${next} + j.key),
          j.value ->> 0, j.value ->> 1, j.value ->> 2, j.value ->> 3 FROM json_each(${list}) j
        RETURNING ${namesOf(entityId, id)}`,
        { id: entityId, revisionId: id },
      ),
    ),
    /** Inserts the row of the revision `fromLast` rows before the last one. */
    insertRow: prepare((values: Named<RowValues & { readonly fromLast: number }>) =>
      plain(sql`INSERT INTO ${table}
        (${namesOf(table.id, table.revisionId, ...COLUMNS.map((name) => table[name]), table.document)})
        SELECT ${sql.join([entityId, id, ...COLUMNS.map((name) => values[name])], sql`, `)},
          ${documentOfParts(values, entityId, id)}
        FROM ${revisionTable} WHERE ${id} = ${lastIdOf(revisionTable)} - ${values.fromLast}`),
    ),
  };
});

const findAliasId = prepare(({ alias }: Named<{ alias: string | null }>) =>
  query.select({ id: pathAliases.id }).from(pathAliases).where(eq(pathAliases.alias, alias)),
);

/** The statements of the search index for a node with a reserved id, or the row `fromLast` rows before the last one. */
const indexInserts = createInserts(
  ({ id, fromLast }: Named<{ readonly id: number | null; readonly fromLast: number }>) =>
    sql`coalesce(${id}, ${lastIdOf(nodes)} - ${fromLast})`,
);

/**
 * Returns all records and words before all texts: FTS5 writes what it has collected, as a segment of its index, before a statement that
 * may be rolled back alone. So a transaction makes one segment instead of one for each node.
 */
function indexStatements(group: readonly ContentWrite[]): Statement[] {
  const entries = group.flatMap(({ id = null, entry }, index) =>
    entry === undefined ? [] : [{ id, fromLast: group.length - 1 - index, ...entry }],
  );
  return [
    ...entries.map(({ id, fromLast, record, harvestStamp }) =>
      indexInserts.record({ id, fromLast, ...record, harvestStamp }),
    ),
    ...entries.flatMap(({ id, fromLast, titleWords }) =>
      titleWords.length === 0
        ? []
        : [indexInserts.titleWords({ id, fromLast, titleWords: JSON.stringify(titleWords) })],
    ),
    ...entries.map(({ id, fromLast, texts }) => indexInserts.texts({ id, fromLast, ...texts })),
  ];
}

/** Inserts all rows, or rejects and inserts none. Either all of them have reserved ids, or none has. */
async function insertAll(
  database: Database,
  kind: ContentKind,
  group: readonly ContentWrite[],
): Promise<InsertedIds[]> {
  const { insertRevisions, insertRow } = statementsOf(kind);
  const reserved = group[0]?.id === undefined ? undefined : group.map(({ id }) => Number(id));
  const revisions = group.map((write) => {
    const { created, userId, log, checksum } = revisionValues(write);
    return [created, userId, log, checksum, write.id];
  });
  const aliased = group.filter(({ draft }) => draft.alias !== null);
  const placed = group.filter(isPlaced);
  const {
    revisions: made,
    aliases,
    sets,
  } = await database.write({
    before: group.flatMap((write) => write.before),
    revisions: insertRevisions({ list: JSON.stringify(revisions) }),
    // Documents are long: one list of them costs more than a statement for each.
    rows: group.map((write, index) => insertRow({ ...rowValues(write), fromLast: group.length - 1 - index })),
    references: referenceStatements(kind, group, reserved),
    belonging: group.flatMap((write) => belongingStatements(write, undefined)),
    access: placementStatements(group),
    index: indexStatements(group),
    indexing: group.flatMap((write) => write.indexing),
    after: joinLists(group.flatMap((write) => write.after)),
    aliases: aliased.map(({ draft: { alias } }) => findAliasId({ alias })),
    sets: placed.map(({ draft: { uuid } }) => findSet({ uuid })),
  });
  // RETURNING promises no order.
  const ids = made.toSorted((one, other) => one.revisionId - other.revisionId);
  return group.map((write, index) => ({
    ...(ids[index] as Pick<InsertedIds, 'id' | 'revisionId'>),
    aliasId: aliases[aliased.indexOf(write)]?.[0]?.id ?? null,
    accessSet: sets[placed.indexOf(write)]?.[0]?.accessSet ?? 0,
  }));
}
