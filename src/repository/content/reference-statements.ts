import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { madeOnce } from '../../base/made-once.ts';
import { media, nodes, paragraphs, terms } from '../../database/schema/content.ts';
import { files } from '../../database/schema/files.ts';
import { references } from '../../database/schema/references.ts';
import { users } from '../../database/schema/users.ts';
import { failIf, literal, namesOf } from '../../database/sql.ts';
import { type Named, plain, prepare, type Statement } from '../../database/statement.ts';
import type { EntityType, FieldValues, Item } from '../../model/content-model.ts';
import type { Draft } from './base-field.ts';
import { type ContentWrite, lastIdOf } from './content-rows.ts';
import type { ContentKind } from './kinds.ts';
import { referringFields } from './referring-fields.ts';

/** The field for the order of an entity among its siblings. */
const WEIGHT_FIELD = 'field_weight';

/** A row of the reference index. */
export type ReferenceRow = [field: string, delta: number, targetType: EntityType, targetId: number];

/** Returns all references of content. */
export function referenceRows(
  kind: ContentKind,
  { draft, values }: { readonly draft: Draft; readonly values: FieldValues },
): ReferenceRow[] {
  const rows: ReferenceRow[] = [];
  const bundle = kind.bundles.get(draft.bundle);
  if (bundle) for (const { name, type } of referringFields(bundle)) addRows(rows, name, type, values[name]);
  addRows(rows, 'parent', 'taxonomy_term', draft.base.parent);
  addRows(rows, 'thumbnail', 'file', draft.base.thumbnail);
  return rows;
}

function addRows(rows: ReferenceRow[], field: string, type: EntityType, items: readonly Item[] = []): void {
  for (let delta = 0; delta < items.length; delta++) {
    const id = items[delta]?.target_id;
    if (typeof id === 'number') rows.push([field, delta, type, id]);
  }
}

/** The values of an insert of the references of one field. */
interface ReferenceValues {
  /** The number to add to the row of each key: 0, or null for rows with the last ids of the sequence. */
  readonly base: number | null;
  /** The number of rows after the first one. */
  readonly offset: number;
  readonly field: string;
  readonly type: string;
  /** The weights by row, as a JSON object, or null. */
  readonly weights: string | null;
  /** The ids of targets by row and delta (`"12.0"`), as a JSON object. */
  readonly entries: string;
}

const insertOf = madeOnce(({ type, table }: ContentKind) => {
  const { sourceType, sourceId, field, delta, targetType, targetId, weight } = references;
  const insert = (weightOf: (values: Named<ReferenceValues>) => SQL) =>
    prepare((values: Named<ReferenceValues>) =>
      plain(sql`INSERT INTO ${references}
          (${namesOf(sourceType, sourceId, field, delta, targetType, targetId, weight)})
        SELECT ${literal(type)}, CAST(j.key AS INTEGER) + coalesce(${values.base}, ${lastIdOf(table)} - ${values.offset}),
          ${values.field}, CAST(substr(j.key, instr(j.key, '.') + 1) AS INTEGER), ${values.type}, j.value,
          ${weightOf(values)}
        FROM json_each(${values.entries}) j`),
    );
  return {
    withWeights: insert(({ weights }) => sql`${weights} ->> ('$."' || CAST(j.key AS INTEGER) || '"')`),
    withoutWeights: insert(() => sql`NULL`),
  };
});

const targetsIn = (table: SQLiteTable & { readonly id: SQLWrapper }, isSame = sql``) =>
  prepare(({ expected }: Named<{ expected: string }>) =>
    failIf(
      'missing',
      sql`EXISTS (SELECT 1 FROM json_each(${expected}) j WHERE NOT EXISTS (
        SELECT 1 FROM ${table} WHERE ${table.id} = CAST(j.key AS INTEGER)${isSame}))`,
    ),
  );

/** The statements that fail a transaction if a target is missing, or has another version than expected. */
const guards = {
  node: targetsIn(nodes),
  media: targetsIn(media),
  taxonomy_term: targetsIn(terms, sql` AND (j.value IS NULL OR ${terms.version} = j.value)`),
  paragraph: targetsIn(paragraphs),
  file: targetsIn(files),
  user: targetsIn(users),
} as const satisfies Record<EntityType, unknown>;

/**
 * Returns statements that insert the references of rows of one kind, and fail the transaction if a target is missing or
 * a term has another version than in `targets`. `ids` are the ids of the rows; default: the last ids of the sequence.
 * Lists are JSON objects of numbers: SQLite parses a list of lists four times as slowly.
 */
export function referenceStatements(
  kind: ContentKind,
  writes: readonly ContentWrite[],
  ids: readonly number[] | undefined,
): Statement[] {
  const ofField = new Map<string, { readonly field: string; readonly type: EntityType; readonly list: string[] }>();
  const expected = new Map<EntityType, Set<string>>();
  const weights: string[] = [];
  for (const [index, write] of writes.entries()) {
    const row = ids?.[index] ?? index;
    const weight = write.values[WEIGHT_FIELD]?.[0]?.value;
    if (typeof weight === 'number') weights.push(`"${row}":${weight}`);
    for (const [field, delta, type, id] of referenceRows(kind, write)) {
      const known = ofField.get(`${field} ${type}`);
      const entry = `"${row}.${delta}":${id}`;
      if (known) known.list.push(entry);
      else ofField.set(`${field} ${type}`, { field, type, list: [entry] });
      const version = type === 'taxonomy_term' ? (write.targets?.get(type, id)?.version ?? null) : null;
      const ofType = expected.get(type);
      // Two rows may have different versions of a term: then the transaction fails.
      if (ofType) ofType.add(`"${id}":${version}`);
      else expected.set(type, new Set([`"${id}":${version}`]));
    }
  }
  const [base, offset] = ids ? [0, 0] : [null, writes.length - 1];
  const shared = { base, offset, weights: weights.length === 0 ? null : objectOf(weights) };
  const { withWeights, withoutWeights } = insertOf(kind);
  const insert = weights.length > 0 ? withWeights : withoutWeights;
  return [
    ...[...ofField.values()].map(({ field, type, list }) =>
      insert({ ...shared, field, type, entries: objectOf(list) }),
    ),
    ...[...expected].map(([type, list]) => guards[type]({ expected: objectOf(list) })),
  ];
}

function objectOf(entries: Iterable<string>): string {
  return `{${[...entries].join()}}`;
}

/** Returns the URIs of a term: field, delta, URI. */
export function uriRows(kind: ContentKind, values: FieldValues): [string, number, string][] {
  if (kind.type !== 'taxonomy_term') return [];
  return Object.entries(values).flatMap(([field, items]) =>
    items.flatMap(({ uri }, delta): [string, number, string][] =>
      typeof uri === 'string' ? [[field, delta, uri]] : [],
    ),
  );
}
