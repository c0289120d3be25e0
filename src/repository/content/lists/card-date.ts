import { type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { literal } from '../../../database/sql.ts';
import type { ContentModel } from '../../../model/content-model.ts';

/** The fields with the date of an item, in order of preference: its origin, not a copyright or the day of a scan. */
export const DATE_FIELDS = ['field_edtf_date_created', 'field_edtf_date_issued', 'field_edtf_date'];

/** Returns the expression for the date of a node as EDTF: the first value of its first field with one. */
export function cardDate({ nodeTypes }: ContentModel, { document }: { readonly document: SQLiteColumn }): SQL {
  const definitions = [...nodeTypes.values()].flatMap(({ fields }) => fields.filter(({ type }) => type === 'edtf'));
  const names = new Set(definitions.map(({ name }) => name));
  const known = DATE_FIELDS.filter((name) => names.has(name));
  // A model of its own may have other names.
  const used = known.length > 0 ? known : [...names];
  const values = used.map((name) => sql`${document} ->> ${literal(`$.${name}[0].value`)}`);
  return values.length === 0 ? sql`NULL` : sql`coalesce(${sql.join(values, sql`, `)}, NULL)`;
}
