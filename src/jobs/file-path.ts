import { decodedName } from '../base/decoded-path.ts';
import { madeOnce } from '../base/made-once.ts';
import type { DerivativeAction } from './rules.ts';

/** Maximum length of a file's URI. */
const MAX_URI_CHARS = 255;
/** Maximum length of a file name in common file systems. */
const MAX_NAME_BYTES = 255;

export const FILENAME_TOKEN = '[islandoratokens:media-original-file:filename]';
const TERM_TOKEN = '[term:name]';
const YEAR_TOKEN = '[date:custom:Y]';
const MONTH_TOKEN = '[date:custom:m]';
const DAY_TOKEN = '[date:custom:d]';
const NODE_TOKEN = '[node:nid]';

/** The tokens that the path of an action may contain. */
export const PATH_TOKENS: readonly string[] = [
  ...[YEAR_TOKEN, MONTH_TOKEN, DAY_TOKEN],
  ...[FILENAME_TOKEN, TERM_TOKEN, NODE_TOKEN],
];

const ANY_TOKEN = new RegExp(PATH_TOKENS.map((token) => RegExp.escape(token)).join('|'), 'g');

export interface PathFacts {
  /** Seconds since 1970. */
  readonly now: number;
  /** The stream URI of the source file; undefined for a derivative of members, whose path does not name it. */
  readonly sourceUri: string | undefined;
  /** The name of the term that is the derivative's use. */
  readonly termName: string;
  readonly nodeId: number;
}

/**
 * Returns the stream URI for a derivative, such as `public://2026-11/a-Service File.jpg` (spec: rest-behaviour, 9.1). The
 * source's name is decoded. If the URI or the name is too long, the source's name is shortened first, then the term's.
 */
export function derivativePath({ scheme, path }: DerivativeAction, facts: PathFacts): string {
  const pattern = `${scheme}://${path}`;
  const [year = '', month = '', day = ''] = new Date(facts.now * 1000).toISOString().split(/[-T]/, 3);
  const stem = safe(decodedName(stemOf(facts.sourceUri ?? String(facts.nodeId))));
  const term = safe(facts.termName);
  const values: Record<string, string> = {
    [YEAR_TOKEN]: year,
    [MONTH_TOKEN]: month,
    [DAY_TOKEN]: day,
    [NODE_TOKEN]: String(facts.nodeId),
    [FILENAME_TOKEN]: stem,
    [TERM_TOKEN]: term,
  };
  let whole = fill(pattern, values);
  for (const [token, value] of [
    [FILENAME_TOKEN, stem],
    [TERM_TOKEN, term],
  ] as const) {
    // By code points, so that no surrogate pair is split.
    const characters = [...value];
    while (pattern.includes(token) && characters.length > 1 && isTooLong(whole)) {
      characters.pop();
      values[token] = characters.join('');
      whole = fill(pattern, values);
    }
  }
  return whole;
}

/** The patterns of the addresses of an action, by token. A name in use gets a number. */
const TOKEN_PATTERNS: Readonly<Record<string, string>> = {
  [YEAR_TOKEN]: '\\d{4}',
  [MONTH_TOKEN]: '\\d\\d',
  [DAY_TOKEN]: '\\d\\d',
  [NODE_TOKEN]: '\\d+',
  [FILENAME_TOKEN]: '[^/]+',
  [TERM_TOKEN]: '[^/]+',
};

const patternOf = madeOnce(({ scheme, path }: DerivativeAction): RegExp => {
  const dot = path.lastIndexOf('.');
  const toPattern = (text: string) => {
    const tokens = text.match(ANY_TOKEN) ?? [];
    const parts = text.split(ANY_TOKEN);
    return parts.map((part, at) => RegExp.escape(part) + (TOKEN_PATTERNS[tokens[at] ?? ''] ?? '')).join('');
  };
  const [stem, extension] = [toPattern(path.slice(0, dot)), toPattern(path.slice(dot))];
  return new RegExp(`^${RegExp.escape(`${scheme}://`)}${stem}(?:_\\d+)?${extension}$`, 'u');
});

/** Returns true if a file has an address that an action gives its derivatives. */
export function isDerivativeUri(action: DerivativeAction, uri: string): boolean {
  return patternOf(action).test(uri);
}

function fill(pattern: string, values: Readonly<Record<string, string>>): string {
  return pattern.replaceAll(ANY_TOKEN, (token) => values[token] ?? '');
}

/** Returns the name of a file without folders and extension. */
function stemOf(uri: string): string {
  const name = uri.slice(uri.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}

/** Returns a text as part of a file name: without slashes, control characters, and dots at its beginning. */
function safe(text: string): string {
  const made = text
    .normalize('NFC')
    .replaceAll(/[/\\\p{Cc}]/gu, '_')
    .replace(/^\.+/, (dots) => '_'.repeat(dots.length));
  return made || '_';
}

function isTooLong(uri: string): boolean {
  return uri.length > MAX_URI_CHARS || Buffer.byteLength(uri.slice(uri.lastIndexOf('/') + 1)) > MAX_NAME_BYTES;
}
