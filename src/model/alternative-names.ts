import type { FieldValues } from './content-model.ts';

/** The fields of terms with their other names, such as pseudonyms and earlier names, by which items are found, too. */
export const ALTERNATIVE_NAME_FIELDS = ['field_alternate_name', 'field_corp_alt_name', 'field_geo_alt_name'] as const;

/** Returns the other names of a term, one in each line. */
export function alternativeNamesIn(values: FieldValues): string {
  return ALTERNATIVE_NAME_FIELDS.flatMap((name) => values[name] ?? [])
    .flatMap(({ value }) => (typeof value === 'string' ? [value] : []))
    .join('\n');
}
