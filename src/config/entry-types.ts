import { type TSchema, Type as t } from '@sinclair/typebox';
import { parseDuration } from '../base/duration.ts';
import { coreCount } from '../base/env.ts';
import type { EntryType } from './setting.ts';

/** Types of entries in a server configuration. Each `description` completes the sentence "x must be …". */

/** The pattern of text without control characters. */
export const ONE_LINE = '^[^\\u0000-\\u001f]*$';
const MAX_PORT = 65_535;
const MAX_WORKERS = 256;
const TIME = 'a time such as 30m, 2h or 7d, or a number of seconds';

type Parse = (text: string) => string;

export function text(description: string, parse: Parse = (entry) => entry): EntryType<string> {
  return { schema: t.String({ minLength: 1, pattern: ONE_LINE, description }), parse };
}

export function textOrNothing(description: string): EntryType<string> {
  return { schema: t.String({ pattern: ONE_LINE, description }) };
}

/** Text that no message shows. */
export function secret(description: string): EntryType<string> {
  return { schema: { ...text(description).schema, writeOnly: true } };
}

export function number(minimum: number, maximum: number, description?: string): EntryType<number> {
  const range = `a whole number from ${minimum} to ${maximum}`;
  return { schema: t.Integer({ minimum, maximum, description: description ?? range }) };
}

export const yesOrNo: EntryType<boolean> = { schema: t.Boolean({ description: 'true or false' }) };
export const bytes = number(1, Number.MAX_SAFE_INTEGER, 'a whole number of bytes');

export function choice<const Word extends string>(words: readonly Word[], description: string): EntryType<Word> {
  const schema = t.Union(
    words.map((word) => t.Literal(word)),
    { description },
  );
  return { schema };
}

/** A list, with options of its schema. */
export function list<Item>(
  { schema, parse }: EntryType<Item>,
  options: { description: string; minItems?: number },
): EntryType<readonly Item[]> {
  return {
    schema: t.Array(schema, options),
    read: (entries: unknown[], reader, path) =>
      entries.flatMap(
        (entry, index) => reader.parsed([...path, `${index}`], entry, parse ?? ((item) => item as Item)) ?? [],
      ),
  };
}

/** A map whose entries `read` checks. */
export function map<Value>(description: string, read: NonNullable<EntryType<Value>['read']>): EntryType<Value> {
  return { schema: mapSchema(description), read };
}

export const mapSchema = (description: string) => t.Record(t.String(), t.Unknown(), { description });

/** A map without unknown keys. */
export const mapWith = <Entries extends Record<string, TSchema>>(entries: Entries, description: string) =>
  t.Object(entries, { additionalProperties: false, description });

/** A port; 0 lets the system choose. */
export const port = {
  ...number(0, MAX_PORT, `a port: a number from 0 to ${MAX_PORT}`),
  fromText(value: string): number {
    const number = Number(value);
    if (/^\d+$/.test(value) && number <= MAX_PORT) return number;
    throw new RangeError(`It must be a number from 0 to ${MAX_PORT}.`);
  },
};

/** A number of workers; `auto` stands for one per core. */
export const workers: EntryType<number> = {
  schema: t.Union([t.Integer({ minimum: 1, maximum: MAX_WORKERS }), t.Literal('auto')], {
    description: `a whole number from 1 to ${MAX_WORKERS}, or auto`,
  }),
  fromText(value) {
    const number = Number(value);
    if (value === 'auto' || (/^\d+$/.test(value) && number >= 1 && number <= MAX_WORKERS))
      return value === 'auto' ? value : number;
    throw new RangeError(`It must be a number from 1 to ${MAX_WORKERS}, or auto.`);
  },
  parse: (entry: number | 'auto') => (entry === 'auto' ? coreCount() : entry),
};

/** A time of at most `maxSeconds`, which `range` shows. Its value is in seconds. */
export function time(range: string, maxSeconds: number): EntryType<number> {
  return {
    schema: t.Union([t.Integer(), t.String()], { description: TIME }),
    parse(entry) {
      const seconds = parseDuration(String(entry));
      if (seconds !== undefined && seconds <= maxSeconds) return seconds;
      throw new RangeError(`must be ${TIME}, ${range}, found "${entry}"`);
    },
  };
}
