import type { InStatement, InValue, ResultSet } from '@libsql/client';
import type { Database } from '../../database/database.ts';
import { failedUniqueness } from '../../database/errors.ts';
import type { FieldValues } from '../../model/content-model.ts';
import { entityPath } from '../../paths.ts';
import { aliasTaken, uuidTaken } from '../errors.ts';
import { checksumOf, revisionValues, supersede } from '../revisions/write-revision.ts';
import { adoptParagraphs } from './adopt-paragraphs.ts';
import type { Draft } from './base-field.ts';
import { type Content, identityParts } from './content.ts';
import { foldLabel } from './fold-label.ts';
import { type ReferenceRow, referenceRows, weightOf } from './index-rows.ts';
import type { ContentKind, ContentType } from './kinds.ts';
import { TargetGuards } from './target-guards.ts';
import type { Targets } from './targets.ts';
import { refuseCircle } from './term-hierarchy.ts';
import { uriStatements } from './uri-statements.ts';

/** What a write consists of, decided before it begins. */
export interface ContentWrite {
  /** The reserved id of a new row; default: the next one. */
  readonly id?: number;
  readonly kind: ContentKind;
  readonly draft: Draft;
  readonly values: FieldValues;
  /** What the two above make of the document (`restOf`). */
  readonly rest: string;
  /** Files that become permanent by being referred to. */
  readonly fileIds: readonly number[];
  /** What the references were resolved to; terms must still be at the version that is known. */
  readonly targets?: Targets;
  /** Statements of the same transaction that come first, such as the row of a file that this refers to. */
  readonly before: readonly InStatement[];
  /** Statements that come last, such as the jobs that this calls for. */
  readonly after: readonly InStatement[];
}

/** The row that an update replaces: its version is what nobody else may have changed meanwhile. */
export interface Replaced {
  readonly content: Content;
  readonly alias: Pick<Draft, 'alias' | 'aliasId'>;
  readonly keepsRevision: boolean;
}

/** The ids of a row that was just made. */
export interface InsertedIds {
  readonly id: number;
  readonly revisionId: number;
  readonly aliasId: number | null;
}

/** How a row is made. */
export type InsertContent = (write: ContentWrite) => Promise<InsertedIds>;

/**
 * Makes a row: entity, revision, references, URIs and alias, all or nothing. Answers the ids. Rejects with
 * a failed guard where a target was deleted meanwhile.
 */
export async function insertContent(database: Database, write: ContentWrite): Promise<InsertedIds> {
  const { kind, draft } = write;
  const [table, revisions] = tableNames(kind);
  const statements: InStatement[] = [
    ...write.before,
    {
      // The id that the row of the next statement gets; nobody else writes in between.
      sql: `INSERT INTO ${revisions} (entity_id, created, user_id, log, checksum)
        VALUES (coalesce(?, ${nextIdOf(table)}), ?, ?, ?, ?)`,
      args: [write.id ?? null, ...revisionValues(write)],
    },
    {
      sql: `INSERT INTO ${table} (id, revision_id, ${COLUMNS.join(', ')}, document)
        SELECT r.entity_id, r.id, ${COLUMNS.map(() => '?').join(', ')}, ? || r.entity_id || ? || r.id || ?
        FROM ${revisions} r WHERE r.id = last_insert_rowid() RETURNING id, revision_id`,
      args: [...columnValues(write), ...documentParts(write)],
    },
    ...indexStatements(write, referenceRows(kind, draft, write.values), false),
    ...aliasStatements(write, undefined),
    ...write.after,
  ];
  const results = await run(database, write, statements);
  const [id, revisionId] = (results[write.before.length + 1] as ResultSet).rows[0] as unknown as [number, number];
  return { id, revisionId, aliasId: aliasIdOf(results, statements) };
}

/** Replaces a row. Rejects with a failed guard where it changed since it was read, or a target was deleted. */
export async function updateContent(
  database: Database,
  write: ContentWrite,
  replaced: Replaced,
): Promise<{ revisionId: number; aliasId: number | null }> {
  const { kind, draft } = write;
  const [table, revisions] = tableNames(kind);
  const { head } = replaced.content;
  const isNewRevision = !replaced.keepsRevision;
  const assignments = COLUMNS.map((column) => `${column} = ?`).join(', ');
  const revisionId = isNewRevision ? 'last_insert_rowid()' : 'revision_id';
  const superseding = isNewRevision ? supersede(write, replaced, revisions) : [];
  const statements: InStatement[] = [
    ...write.before,
    ...superseding,
    {
      sql: `UPDATE ${table} SET revision_id = ${revisionId}, ${assignments},
          document = ? || id || ? || ${revisionId} || ?
        WHERE id = ? AND version = ? RETURNING revision_id`,
      args: [...columnValues(write), ...documentParts(write), draft.id, head.version],
    },
    { sql: 'INSERT INTO guard (stale) SELECT 1 WHERE changes() <> 1', args: [] },
    ...(isNewRevision
      ? []
      : [
          {
            sql: `UPDATE ${revisions} SET log = ?, checksum = ? WHERE id = ?`,
            args: [draft.revisionLog, checksumOf(write), head.revisionId],
          },
        ]),
    ...indexStatements(write, referenceRows(kind, draft, write.values), true),
    ...hierarchyStatements(write),
    ...aliasStatements(write, replaced.alias),
    ...write.after,
  ];
  const results = await run(database, write, statements);
  const [newRevisionId] = (results[write.before.length + superseding.length] as ResultSet).rows[0] as unknown as [
    number,
  ];
  const isSameAlias = draft.alias === replaced.alias.alias;
  const aliasId = isSameAlias ? replaced.alias.aliasId : aliasIdOf(results, statements);
  return { revisionId: newRevisionId, aliasId };
}

function hierarchyStatements({ kind, draft }: ContentWrite): InStatement[] {
  const parents = (draft.base.parent ?? []).map(({ target_id }) => Number(target_id));
  return kind.type === 'taxonomy_term' && parents.length > 0 ? [refuseCircle(draft.id, parents)] : [];
}

/** The columns of a row that `columnValues` answers, in its order. */
export const COLUMNS = [
  ...['uuid', 'bundle', 'label', 'owner_id', 'status', 'changed', 'version', 'layout', 'is_dangling', 'alias'],
  ...['folded_label', 'revision_log'],
];

/** What stands in the columns of a row. */
export function columnValues({ kind, draft }: ContentWrite): InValue[] {
  const { uuid, bundle, label, ownerId, status, changed, version, layout, alias, revisionLog } = draft;
  const folded = kind.type === 'taxonomy_term' ? foldLabel(label) : null;
  return [uuid, bundle, label, ownerId, status ? 1 : 0, changed, version, layout, 0, alias, folded, revisionLog];
}

/** The document in the parts between which the database puts the ids. */
export function documentParts({ kind, draft, rest }: ContentWrite): InValue[] {
  const [before, between] = identityParts(kind.names, draft.uuid);
  return [before, between, `}],${rest}`];
}

function indexStatements(write: ContentWrite, rows: ReferenceRow[], isUpdate: boolean): InStatement[] {
  const { kind, draft, values, fileIds } = write;
  const [table] = tableNames(kind);
  const statements: InStatement[] = [];
  if (isUpdate)
    statements.push({
      sql: 'DELETE FROM reference WHERE source_type = ? AND source_id = ?',
      args: [kind.type, draft.id],
    });
  if (rows.length > 0) {
    statements.push({
      sql: `INSERT INTO reference (source_type, source_id, field, delta, target_type, target_id, weight)
        SELECT '${kind.type}', e.id, j.value ->> 0, j.value ->> 1, j.value ->> 2, j.value ->> 3, ?
        FROM ${table} e, json_each(?) j WHERE e.uuid = ?`,
      args: [weightOf(values), JSON.stringify(rows), draft.uuid],
    });
    const guards = new TargetGuards();
    for (const [, , type, id] of rows) guards.add(type, id, write.targets);
    statements.push(...guards.statements(), ...adoptParagraphs(kind, draft, rows));
  }
  if (kind.type === 'taxonomy_term') statements.push(...uriStatements(write, isUpdate));
  if (kind.afterReferences !== undefined) statements.push({ sql: kind.afterReferences, args: [draft.uuid] });
  if (fileIds.length > 0)
    statements.push({
      sql: `UPDATE file SET status = 1, changed = ?, version = version + 1
        WHERE status = 0 AND id IN (SELECT value FROM json_each(?))`,
      args: [draft.changed, JSON.stringify(fileIds)],
    });
  return statements;
}

const ALIAS_INSERT = 'INSERT INTO path_alias (uuid, path, alias, langcode)';

function aliasStatements({ kind, draft }: ContentWrite, previous: Replaced['alias'] | undefined): InStatement[] {
  if (draft.alias === (previous?.alias ?? null)) return [];
  const [table] = tableNames(kind);
  // One is replaced by another, which may be an older one of its own. None at all takes the older ones away as well.
  const remove: InStatement = {
    sql: 'DELETE FROM path_alias WHERE path = ?1 AND (?2 IS NULL OR id = ?3 OR alias = ?2)',
    args: [`${pathPrefix(kind.type)}${draft.id}`, draft.alias, previous?.aliasId ?? 0],
  };
  const insert: InStatement = {
    sql: `${ALIAS_INSERT} SELECT ?, '${pathPrefix(kind.type)}' || e.id, ?, ? FROM ${table} e WHERE e.uuid = ? RETURNING id`,
    args: [Bun.randomUUIDv7(), draft.alias, draft.langcode, draft.uuid],
  };
  const link: InStatement = {
    sql: `UPDATE ${table} SET alias_id = (SELECT id FROM path_alias WHERE alias = ?1),
      document = json_set(document, '$.path[0].pid', (SELECT id FROM path_alias WHERE alias = ?1)) WHERE uuid = ?2`,
    args: [draft.alias, draft.uuid],
  };
  return [...(previous === undefined ? [] : [remove]), ...(draft.alias === null ? [] : [insert]), link];
}

function aliasIdOf(results: readonly ResultSet[], statements: readonly InStatement[]): number | null {
  const at = statements.findIndex(
    (statement) => typeof statement === 'object' && statement.sql.startsWith(ALIAS_INSERT),
  );
  return at < 0 ? null : Number((results[at] as ResultSet).rows[0]?.[0]);
}

async function run(database: Database, { kind, draft }: ContentWrite, statements: InStatement[]): Promise<ResultSet[]> {
  try {
    return await database.write(statements);
  } catch (error) {
    const column = failedUniqueness(error);
    if (column === `${tableNames(kind)[0]}.uuid`) throw uuidTaken(draft.uuid);
    if (column === 'path_alias.alias') throw aliasTaken(draft.alias ?? '');
    throw error;
  }
}

/** Returns the SQL for the id of the next row of a table. */
export function nextIdOf(table: string): string {
  return `coalesce((SELECT seq FROM sqlite_sequence WHERE name = '${table}'), 0) + 1`;
}

/** The names of the tables of a kind: the entity's and its revisions'. */
export function tableNames({ type }: ContentKind): [table: string, revisions: string] {
  return [type, `${type}_revision`];
}

/** What stands before the id in the canonical path of a kind. */
export function pathPrefix(type: ContentType): string {
  return entityPath[type](0).slice(0, -1);
}
