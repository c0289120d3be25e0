import { type TUnsafe, Type as t } from '@sinclair/typebox';
import { malformed } from '../../base/errors.ts';
import { parseIsoSeconds } from '../../field-types/epoch-seconds.ts';
import type { ListFilter, ListSort } from '../../repository/lists/list-question.ts';
import { parameter } from '../../web/parameters.ts';

/** A filter of a list as a parameter of its query. */
export interface FilterParameter {
  /** Its name in the query. */
  readonly name: string;
  readonly filter: ListFilter;
  readonly schema: TUnsafe<string>;
  /** Returns the value of a valid text. */
  readonly valueOf: (text: string) => string | number;
}

export const DEFAULT_SIZE = 50;
const MAX_SIZE = 500;
const MAX_SHOWN_CHARS = 60;

/** Returns a parameter whose text must match; `expected` names valid texts in the error for others. */
function textMatching(
  shown: Readonly<Record<string, unknown>>,
  expected: string,
  matches: (text: string) => boolean,
): TUnsafe<string> {
  return parameter(shown, matches, (value, name) =>
    malformed(
      `The query parameter "${name}" must be ${expected}, found ${JSON.stringify(String(value).slice(0, MAX_SHOWN_CHARS))}.`,
    ),
  );
}

/** Returns a parameter with one of some values. */
function oneOf(values: readonly string[], description: string): TUnsafe<string> {
  const expected = `one of ${values.join(', ')}`;
  return textMatching({ type: 'string', enum: [...values], description }, expected, (text) => values.includes(text));
}

/** Returns the filter by one of some names. */
export function choice(
  name: string,
  filter: ListFilter,
  values: Iterable<string>,
  description: string,
): FilterParameter {
  return { name, filter, schema: oneOf([...values], description), valueOf: (text) => text };
}

/** Returns the filter by a flag. */
export function flag(name: string, filter: ListFilter, description: string): FilterParameter {
  const schema = textMatching({ type: 'boolean', description }, 'true or false', (text) =>
    /^(true|1|false|0)$/i.test(text),
  );
  return { name, filter, schema, valueOf: (text) => (/^(true|1)$/i.test(text) ? 1 : 0) };
}

const ID = /^\d{1,15}$/;

/** Returns the filter by an id, which is at least `minimum`. */
export function entityId(name: string, filter: ListFilter, description: string, minimum: 0 | 1 = 1): FilterParameter {
  const matches = (text: string) => ID.test(text) && Number(text) >= minimum;
  const schema = textMatching({ type: 'integer', minimum, description }, 'an id', matches);
  return { name, filter, schema, valueOf: Number };
}

/** Returns the filter by the id or a URI of a term. */
export function term(name: string, filter: ListFilter, description: string): FilterParameter {
  const matches = (text: string) => (ID.test(text) && Number(text) > 0) || (isShortText(text) && text.includes(':'));
  const schema = textMatching({ type: 'string', description }, 'the id or a URI of a term', matches);
  return { name, filter, schema, valueOf: (text) => (ID.test(text) ? Number(text) : text) };
}

const MAX_TEXT_CHARS = 1_000;
const isShortText = (text: string) => text.length <= MAX_TEXT_CHARS && !text.includes('\0');

/** Returns the filter by a text in lower case with a pattern. */
export function word(
  name: string,
  filter: ListFilter,
  pattern: RegExp,
  expected: string,
  description: string,
): FilterParameter {
  const matches = (text: string) => isShortText(text) && pattern.test(text.toLowerCase());
  return {
    name,
    filter,
    schema: textMatching({ type: 'string', description }, expected, matches),
    valueOf: (text) => text.toLowerCase(),
  };
}

const DAY = /^\d{4}-\d\d-\d\d$/;
const SECONDS = /^\d{1,12}$/;

/** The filter by the time of the last change. */
export const changedSince: FilterParameter = {
  name: 'changed_since',
  filter: 'changedSince',
  schema: textMatching(
    {
      type: 'string',
      description:
        'Entries changed at this time or later: 2026-11-23T10:00:00Z, 2026-11-23 (from 00:00 UTC), or seconds since 1970.',
    },
    'a time such as 2026-11-23T10:00:00Z, a day such as 2026-11-23, or seconds since 1970',
    (text) => secondsOf(text) !== undefined,
  ),
  valueOf: (text) => secondsOf(text) ?? 0,
};

function secondsOf(text: string): number | undefined {
  if (SECONDS.test(text)) return Number(text);
  if (DAY.test(text)) return parseIsoSeconds(`${text}T00:00:00Z`);
  // Clients that do not encode the plus sign of an offset send a space.
  return parseIsoSeconds(text.replace(' ', '+'));
}

const place = (description: string) => t.Optional(t.String({ description }));

/** Returns the parameters for the order and the pages of a list. The first one of `sorts` is the default. */
export function pageParameters(sorts: readonly ListSort[]) {
  const values = sorts.flatMap((sort) => [sort, `-${sort}`]);
  const sizes = { type: 'integer', minimum: 1, maximum: MAX_SIZE };
  return {
    sort: t.Optional(oneOf(values, `The order; with \`-\` from the end. Default: ${sorts[0]}.`)),
    size: t.Optional(
      textMatching(
        { ...sizes, description: `The maximum number of entries. Default: ${DEFAULT_SIZE}.` },
        `a number from 1 to ${MAX_SIZE}`,
        (text) => /^\d{1,9}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_SIZE,
      ),
    ),
    after: place('The page after a place, from the link `next` of another page.'),
    before: place('The page before a place, from the link `prev` or `last` of another page.'),
  };
}
