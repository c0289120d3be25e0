import type { InStatement, InValue } from '@libsql/client';
import { getTableName, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { titleKeyOf } from '../../../base/fold-text.ts';
import { query } from '../../../database/query-builder.ts';
import type { ContentRow } from '../../../database/schema/content.ts';
import { isText, nested } from '../../../database/sql.ts';
import { sequences } from '../../../database/sqlite-tables.ts';
import type { FieldValues } from '../../../model/content-model.ts';
import type { OwnRules } from '../../access/placement.ts';
import type { NewEntry } from '../../search-index/index-node.ts';
import type { Draft } from '../base-field.ts';
import { foldLabel, identityParts } from '../content.ts';
import type { Targets } from '../fill/targets.ts';
import type { ContentKind } from '../kinds.ts';

/** A write, fully decided before its transaction begins. */
export interface ContentWrite {
  /** The reserved id of a new row; default: the next one. */
  readonly id: number | undefined;
  readonly kind: ContentKind;
  readonly draft: Draft;
  readonly values: FieldValues;
  /** The document of draft and values without its ids (`restOf`). */
  readonly rest: string;
  /** Referenced temporary files, which become permanent. */
  readonly fileIds: readonly number[];
  /** The resolved references; terms must have the same version at the commit. */
  readonly targets: Targets | undefined;
  /** The first statements of the transaction, such as one that inserts a referenced file. */
  readonly before: readonly InStatement[];
  /** The last statements, such as those that queue jobs. */
  readonly after: readonly (InStatement | ListedRow)[];
  /** The entry of a new node in the search index; undefined for others. */
  readonly entry: NewEntry | undefined;
  /** The access rules of a node that is written with its place; undefined for one that stays where it is, and for others. */
  readonly placement: Placement | undefined;
  /** The statements that index a change of anything else, before `after`. */
  readonly indexing: readonly InStatement[];
}

/** The rules of a node, and whether no content is known to have any. */
export interface Placement extends OwnRules {
  readonly nobody: boolean;
}

/** A row for a statement that inserts the rows of all writes of a transaction. */
export interface ListedRow {
  /** The same object for all rows of one list. */
  readonly list: { readonly insert: (rows: readonly InValue[][]) => InStatement };
  readonly row: InValue[];
}

/** Joins the rows of each list into one statement. */
export function joinLists(statements: ContentWrite['after']): InStatement[] {
  const joined: InStatement[] = [];
  const lists = new Map<ListedRow['list'], InValue[][]>();
  for (const statement of statements) {
    if (typeof statement === 'string' || 'sql' in statement) joined.push(statement);
    else {
      const rows = lists.get(statement.list);
      if (rows) rows.push(statement.row);
      else lists.set(statement.list, [statement.row]);
    }
  }
  for (const [list, rows] of lists) joined.push(list.insert(rows));
  return joined;
}

/** The columns that every write of an entity sets, besides ids and document. */
export const COLUMNS = [
  ...(['uuid', 'bundle', 'label', 'ownerId', 'status', 'changed', 'version', 'layout', 'isDangling', 'alias'] as const),
  ...(['foldedLabel', 'sortLabel', 'revisionLog'] as const),
] as const;

/** A document in the parts between which the database inserts the ids of the entity and of its revision. */
export type DocumentParts = { readonly before: string; readonly between: string; readonly rest: string };

/** The values of `COLUMNS`, and the document. */
export type RowValues = Pick<ContentRow, (typeof COLUMNS)[number]> & DocumentParts;

/** Returns the values of an entity's row. */
export function rowValues(write: ContentWrite): RowValues {
  const { kind, draft } = write;
  const { uuid, bundle, label, ownerId, status, changed, version, layout, alias, revisionLog } = draft;
  const isTerm = kind.type === 'taxonomy_term';
  const [foldedLabel, sortLabel] = isTerm ? [foldLabel(label), titleKeyOf(label)] : [null, null];
  const columns = { uuid, bundle, label, ownerId, status, changed, version, layout, isDangling: false, alias };
  return { ...columns, foldedLabel, sortLabel, revisionLog, ...documentParts(write) };
}

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
  const { name, highest } = sequences;
  return nested(
    sql`${query
      .select({ highest })
      .from(sequences)
      .where(isText(name, getTableName(table)))}`,
  );
}

/** Returns the expression for the id of the next row of a table. */
export function nextIdOf(table: SQLiteTable): SQL<number> {
  return sql`coalesce(${lastIdOf(table)}, 0) + 1`;
}
