import { getTableName, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import type { ContentRow } from '../../database/schema/content.ts';
import { literal } from '../../database/sql.ts';
import { identityParts } from './content.ts';
import { foldLabel } from './fold-label.ts';
import type { ContentWrite } from './write-content.ts';

/** The columns that every write of an entity sets, beside its ids and its document. */
export const COLUMNS = [
  ...(['uuid', 'bundle', 'label', 'ownerId', 'status', 'changed', 'version', 'layout', 'isDangling', 'alias'] as const),
  ...(['foldedLabel', 'revisionLog'] as const),
] as const;

/** A document in the parts between which the database inserts the ids of the entity and of its revision. */
export type DocumentParts = { readonly before: string; readonly between: string; readonly rest: string };

/** The values of `COLUMNS`, and the document. */
export type RowValues = Pick<ContentRow, (typeof COLUMNS)[number]> & DocumentParts;

/** Returns the values of an entity's row. */
export function rowValues(write: ContentWrite): RowValues {
  const { kind, draft } = write;
  const { uuid, bundle, label, ownerId, status, changed, version, layout, alias, revisionLog } = draft;
  const foldedLabel = kind.type === 'taxonomy_term' ? foldLabel(label) : null;
  const columns = { uuid, bundle, label, ownerId, status, changed, version, layout, isDangling: false, alias };
  return { ...columns, foldedLabel, revisionLog, ...documentParts(write) };
}

/** Returns a document in its parts. */
export function documentParts({ kind, draft, rest }: Pick<ContentWrite, 'kind' | 'draft' | 'rest'>): DocumentParts {
  const [before, between] = identityParts(kind.names, draft.uuid);
  return { before, between, rest: `}],${rest}` };
}

/** Returns the expression for a document from its parts and ids. */
export function documentOfParts(
  { before, between, rest }: Record<keyof DocumentParts, SQLWrapper>,
  id: SQLWrapper,
  revisionId: SQLWrapper,
): SQL {
  return sql`${before} || ${id} || ${between} || ${revisionId} || ${rest}`;
}

/** Returns the expression for the highest id that a table has had. */
export function lastIdOf(table: SQLiteTable): SQL<number> {
  return sql`(SELECT seq FROM sqlite_sequence WHERE name = ${literal(getTableName(table))})`;
}

/** Returns the expression for the id of the next row of a table. */
export function nextIdOf(table: SQLiteTable): SQL<number> {
  return sql`coalesce(${lastIdOf(table)}, 0) + 1`;
}
