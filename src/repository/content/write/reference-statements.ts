import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { madeOnce, madeOncePer } from '../../../base/made-once.ts';
import { media, nodes, paragraphs, terms } from '../../../database/schema/content.ts';
import { files } from '../../../database/schema/files.ts';
import { mediaPlaces, memberPlaces, references } from '../../../database/schema/references.ts';
import { users } from '../../../database/schema/users.ts';
import { failIf, literal, namesOf } from '../../../database/sql.ts';
import { type Named, plain, prepare, type Statement } from '../../../database/statement.ts';
import { ENTITY_TYPES, type EntityType, type FieldValues, type Item } from '../../../model/content-model.ts';
import { isMediaOf, MEDIA_OF, MEMBER_OF } from '../../relations.ts';
import type { Draft } from '../base-field.ts';
import type { ContentKind } from '../kinds.ts';
import { referringFields } from '../referring-fields.ts';
import { type ContentWrite, lastIdOf } from './content-rows.ts';

/** The field for the order of an entity among its siblings. */
export const WEIGHT_FIELD = 'field_weight';

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

/** The values of an insert of references. Those of each field have its number, such as `entries0`. */
interface ReferenceValues {
  /** The number to add to the row of each key: 0, or null for rows with the last ids of the sequence. */
  readonly base: number | null;
  /** The number of rows after the first one. */
  readonly offset: number;
  /** The weights by row, as a JSON object, or null. */
  readonly weights: string | null;
  readonly [field: `field${number}`]: string;
  readonly [type: `type${number}`]: string;
  /** The ids of targets by row and delta (`"12.0"`), as a JSON object. */
  readonly [entries: `entries${number}`]: string;
}

/** Prepares the insert of the references of a number of fields. */
function prepareInsert({ type, table }: ContentKind, count: number, hasWeights: boolean, hasPlaces = false) {
  const { sourceType, sourceId, field, delta, targetType, targetId, weight } = references;
  return prepare((values: Named<ReferenceValues>) => {
    const lists = Array.from(
      { length: count },
      (_, index) => [values[`field${index}`], values[`type${index}`], values[`entries${index}`]] as const,
    );
    const rows = lists.map((list) => sql`(${sql.join([...list], sql`, `)})`);
    const [name, target, entries] =
      count === 1 ? (lists[0] as (typeof lists)[0]) : [sql`list.column1`, sql`list.column2`, sql`list.column3`];
    const from = count === 1 ? sql`` : sql`(VALUES ${sql.join(rows, sql`, `)}) list CROSS JOIN `;
    const weightOfRow = sql`${values.weights} ->> ('$."' || CAST(j.key AS INTEGER) || '"')`;
    const sourceOfRow = sql`CAST(j.key AS INTEGER) + coalesce(${values.base}, ${lastIdOf(table)} - ${values.offset})`;
    const ownPlace =
      type === 'media' ? placeOfMedia(sql`${name}`, sourceOfRow) : placeOfMember(sql`${name}`, sourceOfRow);
    const ofRow = hasPlaces ? sql`coalesce(${ownPlace}, ${weightOfRow})` : hasWeights ? weightOfRow : sql`NULL`;
    return plain(sql`INSERT INTO ${references}
        (${namesOf(sourceType, sourceId, field, delta, targetType, targetId, weight)})
      SELECT ${literal(type)}, ${sourceOfRow},
        ${name}, CAST(substr(j.key, instr(j.key, '.') + 1) AS INTEGER), ${target}, j.value, ${ofRow}
      FROM ${from}json_each(${entries}) j`);
  });
}

const placeOfMember = (field: SQLWrapper, member: SQL) =>
  sql`CASE ${field} WHEN ${literal(MEMBER_OF)} THEN (SELECT ${memberPlaces.weight} FROM ${memberPlaces}
    WHERE ${memberPlaces.memberId} = ${member} AND ${memberPlaces.parentId} = j.value) END`;

const other = alias(references, 'other');

/** The place of a media, or the one behind all media of a node that have places. */
const placeOfMedia = (field: SQLWrapper, medium: SQL) =>
  sql`CASE ${field} WHEN ${literal(MEDIA_OF)} THEN coalesce((SELECT ${mediaPlaces.weight} FROM ${mediaPlaces}
      WHERE ${mediaPlaces.mediaId} = ${medium} AND ${mediaPlaces.nodeId} = j.value),
    (SELECT max(${other.weight}) + 1 FROM ${references} ${other} WHERE ${isMediaOf(other, sql`j.value`)})) END`;

/** The inserts of a kind by number of fields. */
const insertsOf = madeOnce((kind: ContentKind) => ({
  withWeights: madeOncePer((count: number) => prepareInsert(kind, count, true)),
  withoutWeights: madeOncePer((count: number) => prepareInsert(kind, count, false)),
  /** For known nodes and for media: members and files may have places of their own. */
  withPlaces: madeOncePer((count: number) => prepareInsert(kind, count, true, true)),
}));

const TABLES = { node: nodes, media, taxonomy_term: terms, paragraph: paragraphs, file: files, user: users };

/** The statements that fail a transaction if a target is missing, or a term has another version, by the list of types. */
const guardOf = madeOncePer((types: string) =>
  prepare((expected: Named<Partial<Record<EntityType, string>>>) => {
    const missing = (types.split(',') as EntityType[]).map((type) => {
      const { id } = TABLES[type];
      const isSame = type === 'taxonomy_term' ? sql` AND (j.value IS NULL OR ${terms.version} = j.value)` : sql``;
      return sql`EXISTS (SELECT 1 FROM json_each(${expected[type]}) j WHERE NOT EXISTS (
        SELECT 1 FROM ${TABLES[type]} WHERE ${id} = CAST(j.key AS INTEGER)${isSame}))`;
    });
    return failIf('missing', sql.join(missing, sql` OR `));
  }),
);

/**
 * Returns the statements that insert the references of rows of one kind, and fail the transaction if a target is missing or
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
  if (ofField.size === 0) return [];
  const [base, offset] = ids ? [0, 0] : [null, writes.length - 1];
  const weightsOfRows = weights.length === 0 ? null : objectOf(weights);
  const { withWeights, withoutWeights, withPlaces } = insertsOf(kind);
  const mayHavePlaces =
    kind.type === 'media'
      ? ofField.has(`${MEDIA_OF} node`)
      : ids !== undefined && kind.type === 'node' && ofField.has(`${MEMBER_OF} node`);
  const insertFor = mayHavePlaces ? withPlaces : weightsOfRows === null ? withoutWeights : withWeights;
  const lists = [...ofField.values()];
  // One statement for a single row; with many rows, a join with the fields costs more than a statement for each.
  const together = writes.length === 1 ? [lists] : lists.map((list) => [list]);
  const inserts = together.map((fields) => {
    const named = fields.flatMap(({ field, type, list }, index) => [
      [`field${index}`, field],
      [`type${index}`, type],
      [`entries${index}`, objectOf(list)],
    ]);
    const insert = insertFor(fields.length);
    return insert({ ...Object.fromEntries(named), base, offset, weights: weightsOfRows });
  });
  // In one order, so that few sets of types occur.
  const types = ENTITY_TYPES.filter((type) => expected.has(type));
  const guard = guardOf(types.join())(Object.fromEntries([...expected].map(([type, list]) => [type, objectOf(list)])));
  return [...inserts, guard];
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
