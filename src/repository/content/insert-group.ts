import type { InStatement, ResultSet } from '@libsql/client';
import { ServiceError } from '../../base/errors.ts';
import type { Database } from '../../database/database.ts';
import { isOutcomeUnknown } from '../../database/errors.ts';
import type { FieldValues } from '../../model/content-model.ts';
import { revisionValues } from '../revisions/write-revision.ts';
import type { Draft } from './base-field.ts';
import { referenceRows, weightOf } from './index-rows.ts';
import type { ContentKind } from './kinds.ts';
import { referringFields } from './referring-fields.ts';
import { TargetGuards } from './target-guards.ts';
import {
  COLUMNS,
  type ContentWrite,
  columnValues,
  documentParts,
  type InsertContent,
  type InsertedIds,
  insertContent,
  nextIdOf,
  tableNames,
} from './write-content.ts';

/** Rows in one statement: their callers wait for all of them. */
const MAX_GROUP = 64;
/** Of their documents together. */
const MAX_GROUP_CHARS = 1024 * 1024;

interface Waiting {
  readonly write: ContentWrite;
  readonly resolve: (ids: InsertedIds) => void;
  readonly reject: (error: unknown) => void;
}

/** What comes last with each of several rows (`ContentWrite.after`) as what comes last with all of them. */
export type JoinAfter = (statements: readonly InStatement[]) => readonly InStatement[];

/**
 * Makes rows as `insertContent` does, those that come at the same time with one statement for all of them. Where that
 * fails, each is made by itself, so that nobody fails for another one's reason.
 */
export function createGroupedInsert(database: Database, joinAfter: JoinAfter = (each) => each): InsertContent {
  const waiting = new Map<ContentKind, Waiting[]>();
  let isScheduled = false;

  const flush = () => {
    isScheduled = false;
    for (const [kind, all] of waiting) {
      waiting.delete(kind);
      for (const group of groupsOf(all)) void insertAll(database, kind, group, joinAfter);
    }
  };
  return (write) => {
    if (!isPlain(write)) return insertContent(database, write);
    return new Promise((resolve, reject) => {
      const group = waiting.get(write.kind);
      if (group) group.push({ write, resolve, reject });
      else waiting.set(write.kind, [{ write, resolve, reject }]);
      if (isScheduled) return;
      isScheduled = true;
      setImmediate(flush);
    });
  };
}

/** Whether what belongs to a row is references alone. */
function isPlain({ kind, draft, fileIds, values }: ContentWrite): boolean {
  return kind.type === 'node' && draft.alias === null && fileIds.length === 0 && !hasParagraphs(kind, draft, values);
}

function hasParagraphs(kind: ContentKind, draft: Draft, values: FieldValues): boolean {
  const bundle = kind.bundles.get(draft.bundle);
  return (
    bundle !== undefined &&
    referringFields(bundle).some(({ name, type }) => type === 'paragraph' && (values[name]?.length ?? 0) > 0)
  );
}

function* groupsOf(all: readonly Waiting[]): Generator<Waiting[]> {
  let group: Waiting[] = [];
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

async function insertAll(
  database: Database,
  kind: ContentKind,
  group: readonly Waiting[],
  joinAfter: JoinAfter,
): Promise<void> {
  const writes = group.map(({ write }) => write);
  const outcome = group.length === 1 ? undefined : await insertGroup(database, kind, writes, joinAfter).catch(failed);
  for (const [index, { write, resolve, reject }] of group.entries()) {
    if (outcome === undefined) insertContent(database, write).then(resolve, reject);
    else if ('error' in outcome) reject(outcome.error);
    else resolve(outcome[index] as InsertedIds);
  }
}

/** What all of a group fail with; undefined where it may be for one of them alone. */
function failed(error: unknown): { readonly error: unknown } | undefined {
  const isOfAll = error instanceof ServiceError && (error.kind === 'unavailable' || error.kind === 'database-locked');
  return isOfAll || isOutcomeUnknown(error) ? { error } : undefined;
}

/** Inserts all rows, or rejects and inserts none. Either all of them have reserved ids, or none has. */
async function insertGroup(
  database: Database,
  kind: ContentKind,
  group: readonly ContentWrite[],
  joinAfter: JoinAfter,
): Promise<InsertedIds[]> {
  const [table, revisions] = tableNames(kind);
  // The next ids of the database, unless reserved. The transaction excludes other writers.
  const [next, nextRevision] = [nextIdOf(table), nextIdOf(revisions)];
  const ids = group.flatMap(({ id }) => id ?? []);
  const isReserved = ids.length > 0;
  const before = group.flatMap((write) => write.before);
  const insertRow = `INSERT INTO ${table} (id, revision_id, ${COLUMNS.join(', ')}, document)
    SELECT r.entity_id, r.id, ${COLUMNS.map(() => '?').join(', ')}, ? || r.entity_id || ? || r.id || ?
    FROM ${revisions} r WHERE r.entity_id = ${isReserved ? '?' : next}`;
  const statements: InStatement[] = [
    ...before,
    `SELECT ${next}, ${nextRevision}`,
    {
      sql: `INSERT INTO ${revisions} (id, entity_id, created, user_id, log, checksum)
        SELECT ${nextRevision} + j.key, coalesce(j.value ->> 4, ${next} + j.key),
          j.value ->> 0, j.value ->> 1, j.value ->> 2, j.value ->> 3 FROM json_each(?) j`,
      args: [JSON.stringify(group.map((write) => [...revisionValues(write), write.id]))],
    },
    // Documents are long: to pack them into one list costs more than a statement for each.
    ...group.map((write) => ({
      sql: insertRow,
      args: [...columnValues(write), ...documentParts(write), ...(write.id === undefined ? [] : [write.id])],
    })),
    ...referenceStatements(kind, group, ids),
    ...joinAfter(group.flatMap((write) => write.after)),
  ];
  const results = await database.write(statements);
  const [id, revisionId] = (results[before.length] as ResultSet).rows[0] as unknown as [number, number];
  return group.map((_, index) => ({ id: ids[index] ?? id + index, revisionId: revisionId + index, aliasId: null }));
}

/**
 * What the rows refer to, and that it is there. Lists for the database are objects of numbers, put together by hand: to
 * take apart a list of lists costs it as much as to keep it.
 */
function referenceStatements(
  kind: ContentKind,
  group: readonly ContentWrite[],
  reserved: readonly number[],
): InStatement[] {
  const [table] = tableNames(kind);
  const ofField = new Map<string, { readonly args: [field: string, type: string]; readonly targets: string[] }>();
  const guards = new TargetGuards();
  for (const [index, { draft, values, targets }] of group.entries())
    for (const [field, delta, type, id] of referenceRows(kind, draft, values)) {
      guards.add(type, id, targets);
      const known = ofField.get(`${field} ${type}`);
      const entry = `"${reserved[index] ?? index}.${delta}":${id}`;
      if (known) known.targets.push(entry);
      else ofField.set(`${field} ${type}`, { args: [field, type], targets: [entry] });
    }
  const weights = group.map(({ values }) => weightOf(values));
  const weightList = weights.some((weight) => weight !== null) ? weights : undefined;
  // Keys begin with reserved ids or with row positions. The last row has the current id of the sequence.
  const isReserved = reserved.length > 0;
  const byKey = isReserved ? weightList && Object.fromEntries(reserved.map((id, at) => [id, weights[at]])) : weightList;
  const source = isReserved ? '?' : `(SELECT seq FROM sqlite_sequence WHERE name = '${table}') - ?`;
  const place = isReserved ? `'$."' || CAST(j.key AS INTEGER) || '"'` : 'CAST(j.key AS INTEGER)';
  const rows = [...ofField.values()].map(({ args, targets }) => ({
    sql: `INSERT INTO reference (source_type, source_id, field, delta, target_type, target_id, weight)
      SELECT '${kind.type}', ${source} + CAST(j.key AS INTEGER), ?, CAST(substr(j.key, instr(j.key, '.') + 1) AS INTEGER),
        ?, j.value, ? ->> (${place})
      FROM json_each(?) j`,
    args: [isReserved ? 0 : group.length - 1, ...args, byKey ? JSON.stringify(byKey) : null, `{${targets.join()}}`],
  }));
  return [...rows, ...guards.statements()];
}
