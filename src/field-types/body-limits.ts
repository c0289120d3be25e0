import type { FieldDefinition, Item } from '../model/content-model.ts';
import type { FieldTypes } from './field-type.ts';

/** Filtering takes a few microseconds for a tag and blocks all other requests. */
export const MAX_TAGS = 100_000;
const MAX_FORMATTED_CHARS = 4_000_000;
/** The maximum of all dates together: one of ten characters can take the parser a tenth of a millisecond. */
const MAX_DATE_CHARS = 20_000;

interface SizedField {
  readonly definition: Pick<FieldDefinition, 'name' | 'type'>;
  readonly items: readonly Item[];
}

/**
 * Returns the reason why the values of a write would block the server while they are checked, as a sentence for the
 * client that names the field. The limits hold for all fields of one write together.
 */
export function bodyProblem(fields: readonly SizedField[], types: FieldTypes): string | undefined {
  let [tags, formattedChars, dateChars] = [0, 0, 0];
  for (const { definition, items } of fields) {
    const { name } = definition;
    const { effort } = types.of(definition);
    if (effort === undefined) continue;
    for (const { value } of items) {
      if (typeof value !== 'string') continue;
      if (effort === 'dates') {
        dateChars += value.length;
        continue;
      }
      formattedChars += value.length;
      tags += countTags(value, MAX_TAGS - tags);
    }
    if (tags > MAX_TAGS) return tooMuch(name, `more than ${MAX_TAGS} tags`);
    if (formattedChars > MAX_FORMATTED_CHARS)
      return tooMuch(name, `more than ${MAX_FORMATTED_CHARS} characters of formatted text`);
    if (dateChars > MAX_DATE_CHARS) return tooMuch(name, `more than ${MAX_DATE_CHARS} characters of dates`);
  }
  return undefined;
}

/** Counts the tags of a text by `<`, up to one more than `limit`. */
export function countTags(text: string, limit: number): number {
  let count = 0;
  for (let at = text.indexOf('<'); at >= 0 && count <= limit; at = text.indexOf('<', at + 1)) count += 1;
  return count;
}

function tooMuch(field: string, what: string): string {
  return `The field "${field}" is too large: together with the fields before it, it holds ${what}.`;
}
