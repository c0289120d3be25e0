import type { FieldDefinition, Item } from '../model/content-model.ts';
import { isFormatted } from './text-types.ts';

/** Filtering costs a few microseconds for a tag, and nothing else is answered meanwhile. */
export const MAX_TAGS = 100_000;
const MAX_FORMATTED_CHARS = 4_000_000;
/** Of all dates together: one of ten characters can take the parser a tenth of a millisecond. */
const MAX_DATE_CHARS = 20_000;

interface SizedField {
  readonly definition: Pick<FieldDefinition, 'name' | 'type'>;
  readonly items: readonly Item[];
}

/**
 * Why values would keep the whole server waiting while they are looked at, as a sentence for the client that names
 * the field; undefined for what is no trouble. The limits hold for all fields of one write together.
 */
export function bodyProblem(fields: readonly SizedField[]): string | undefined {
  let [tags, formattedChars, dateChars] = [0, 0, 0];
  for (const { definition, items } of fields) {
    const { name, type } = definition;
    for (const { value } of items) {
      if (typeof value !== 'string') continue;
      if (type === 'edtf') dateChars += value.length;
      if (!isFormatted(definition)) continue;
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

/** How many tags a text may hold at most, going by `<`; what is beyond `limit` is counted as one more. */
export function countTags(text: string, limit: number): number {
  let count = 0;
  for (let at = text.indexOf('<'); at >= 0 && count <= limit; at = text.indexOf('<', at + 1)) count += 1;
  return count;
}

function tooMuch(field: string, what: string): string {
  return `The field "${field}" is too large: together with the fields before it, it holds ${what}.`;
}
