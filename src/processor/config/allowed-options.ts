import { malformed } from '../../base/errors.ts';

/** The form of an option's value, and its description after "must be". */
interface ValueForm {
  readonly pattern: RegExp;
  readonly description: string;
}

/** The options that callers may use in `X-Repo-Args`, each with the form of its value; undefined: without a value. */
export type AllowedOptions = ReadonlyMap<string, ValueForm | undefined>;

const NO_VALUE = 'none';

/** No form accepts a path, an address or a format name, which a program could read from or write to. */
const FORMS: Readonly<Record<string, ValueForm>> = {
  integer: { pattern: /^-?\d{1,9}$/, description: 'a whole number' },
  number: { pattern: /^-?\d{1,9}(\.\d{1,9})?$/, description: 'a number' },
  size: {
    pattern: /^(?=\d|x\d)\d{0,6}(\.\d{1,6})?%?(x\d{0,6}(\.\d{1,6})?%?)?[!<>^]?$/,
    description: 'a size, such as 220x220',
  },
  time: { pattern: /^(\d{1,9}:){0,2}\d{1,9}(\.\d{1,9})?$/, description: 'a time, such as 00:00:01.5' },
  rate: { pattern: /^\d{1,9}(\.\d{1,9})?[kKM]?$/, description: 'a rate, such as 128k' },
  word: { pattern: /^[A-Za-z]\w{0,63}$/, description: 'a word of letters, digits and _' },
  language: {
    pattern: /^(script\/)?[A-Za-z]\w{0,31}(\+(script\/)?[A-Za-z]\w{0,31})*$/,
    description: 'a language, such as deu',
  },
};
const REGULAR_EXPRESSION = /^\/(.+)\/$/;
const MAX_SHOWN_CHARS = 80;

/** The valid forms of an option in the configuration, for error messages. */
export const FORM_NAMES = `${[NO_VALUE, ...Object.keys(FORMS)].join(', ')}, a list of words, or /a regular expression/`;

/**
 * Returns the valid options of a configuration. Calls `report` with each invalid one.
 */
export function parseAllowedOptions(
  options: Readonly<Record<string, string | readonly string[]>>,
  report: (option: string) => void,
): AllowedOptions {
  const allowed = new Map<string, ValueForm | undefined>();
  for (const [option, value] of Object.entries(options)) {
    const form = value === NO_VALUE ? undefined : parseForm(value);
    if (form === null || option === '') report(option);
    else allowed.set(option, form);
  }
  return allowed;
}

function parseForm(value: string | readonly string[]): ValueForm | null {
  if (typeof value !== 'string') {
    const words = value.map((word) => word.replace(/[^\w\s]/g, '\\$&'));
    return { pattern: new RegExp(`^(${words.join('|')})$`), description: value.join(' or ') };
  }
  const [, source] = REGULAR_EXPRESSION.exec(value) ?? [];
  if (source === undefined) return Object.hasOwn(FORMS, value) ? (FORMS[value] ?? null) : null;
  try {
    return { pattern: new RegExp(`^(?:${source})$`), description: `of the form ${source}` };
  } catch {
    return null;
  }
}

/** Throws `malformed` for a word that is neither an allowed option of a command nor a valid value of one. */
export function requireAllowedOptions(words: readonly string[], allowed: AllowedOptions): void {
  for (let index = 0; index < words.length; index += 1) {
    const option = words[index] as string;
    if (!allowed.has(option)) {
      const known = allowed.size === 0 ? 'it takes none' : `it takes ${[...allowed.keys()].join(', ')}`;
      throw malformed(`The X-Repo-Args header holds "${shown(option)}", which is no option of this command: ${known}.`);
    }
    const form = allowed.get(option);
    if (form === undefined) continue;
    index += 1;
    const value = words[index];
    if (value !== undefined && form.pattern.test(value)) continue;
    const actual = value === undefined ? 'nothing' : `"${shown(value)}"`;
    throw malformed(`The X-Repo-Args header holds ${actual} after ${option}: it must be ${form.description}.`);
  }
}

function shown(word: string): string {
  const characters = [...word.replaceAll(/\p{Cc}/gu, ' ')];
  return characters.length > MAX_SHOWN_CHARS
    ? `${characters.slice(0, MAX_SHOWN_CHARS).join('')}…`
    : characters.join('');
}
