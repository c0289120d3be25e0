import type { DerivativeAction } from './rules.ts';

/** Of a file's URI. */
const MAX_URI_CHARS = 255;

export const FILENAME_TOKEN = '[islandoratokens:media-original-file:filename]';
const TERM_TOKEN = '[term:name]';
const YEAR_TOKEN = '[date:custom:Y]';
const MONTH_TOKEN = '[date:custom:m]';
const DAY_TOKEN = '[date:custom:d]';
const NODE_TOKEN = '[node:nid]';

/** What the path of an action may be made of, beside text. */
export const PATH_TOKENS: readonly string[] = [
  ...[YEAR_TOKEN, MONTH_TOKEN, DAY_TOKEN],
  ...[FILENAME_TOKEN, TERM_TOKEN, NODE_TOKEN],
];

const ANY_TOKEN = new RegExp(PATH_TOKENS.map((token) => RegExp.escape(token)).join('|'), 'g');

export interface PathFacts {
  /** Seconds since 1970. */
  readonly now: number;
  /** Stream URI of the source file; undefined for what is made of members, whose paths do not name it. */
  readonly sourceUri: string | undefined;
  /** Of the term of the derivative's use. */
  readonly termName: string;
  readonly nodeId: number;
}

/** Parts that must not be taken apart: characters, or what stands for one in a URL. */
type Parts = readonly string[];

/**
 * The stream URI for a derivative, such as `public://2026-11/a-Service File.jpg` (spec: rest-behaviour, 9.1). One
 * that would be too long has less of the source's name in it, and then less of the term's.
 */
export function derivativePath({ scheme, path }: DerivativeAction, facts: PathFacts): string {
  const pattern = `${scheme}://${path}`;
  const [year = '', month = '', day = ''] = new Date(facts.now * 1000).toISOString().split(/[-T]/, 3);
  const stem = safe(stemOf(facts.sourceUri ?? String(facts.nodeId)));
  const term = safe(facts.termName);
  const values: Record<string, string> = {
    [YEAR_TOKEN]: year,
    [MONTH_TOKEN]: month,
    [DAY_TOKEN]: day,
    [NODE_TOKEN]: String(facts.nodeId),
    [FILENAME_TOKEN]: encodeURIComponent(stem),
    [TERM_TOKEN]: term,
  };
  let whole = fill(pattern, values);
  const parts: [string, () => Parts][] = [
    [FILENAME_TOKEN, () => [...stem].map(encodeURIComponent)],
    [TERM_TOKEN, () => [...term]],
  ];
  for (const [token, partsOf] of parts) {
    const excess = whole.length - MAX_URI_CHARS;
    if (excess <= 0) break;
    const uses = pattern.split(token).length - 1;
    if (uses > 0) values[token] = shortened(partsOf(), Math.ceil(excess / uses)).join('');
    whole = fill(pattern, values);
  }
  return whole;
}

function fill(pattern: string, values: Readonly<Record<string, string>>): string {
  return pattern.replaceAll(ANY_TOKEN, (token) => values[token] ?? '');
}

/** The name of a file without folders and extension. */
function stemOf(uri: string): string {
  const name = uri.slice(uri.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}

/** A text that makes no folder and hides no file, whatever stands in it. */
function safe(text: string): string {
  const made = text
    .normalize('NFC')
    .replaceAll(/[/\\\p{Cc}]/gu, '_')
    .replace(/^\.+/, (dots) => '_'.repeat(dots.length));
  return made || '_';
}

/** As many parts as leave out the excess, but the first one at least. */
function shortened(parts: Parts, excess: number): Parts {
  let length = parts.join('').length;
  let kept = parts.length;
  const wanted = length - excess;
  while (kept > 1 && length > wanted) length -= parts[--kept]?.length ?? 0;
  return parts.slice(0, kept);
}
