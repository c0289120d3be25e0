import { foldText } from '../../base/fold-text.ts';
import type { SnippetPart } from '../search-types.ts';
import { type Marks, type Match, matchesIn } from './mark-words.ts';

/** The length of a snippet, and of what stands before its first mark, in characters. */
const MAX_CHARACTERS = 240;
const MAX_BEFORE = 80;
/** Texts are searched in chunks, of which only those that may match are split into words. */
const CHUNK_CHARACTERS = 4_000;
/** The maximum number of characters of a text that are searched for a snippet. */
const MAX_SEARCHED = 1_000_000;

/** The signs that may be within a word. */
const HYPHENS = /[-\u2010\u05BE]+/g;
const HYPHEN = /[-\u2010\u05BE]/;

/** Returns the part of a text with the most different matches, marked; undefined for a text without a match. */
export function cutMatch(text: string, marks: Marks): SnippetPart[] | undefined {
  const beginnings = [...marks.phrases.flatMap(([first]) => first ?? []), ...marks.prefixes];
  if (beginnings.length === 0) return undefined;
  const isWithin = (chunk: string) => beginnings.some((word) => chunk.includes(word));
  const end = Math.min(text.length, MAX_SEARCHED);
  for (let from = 0; from < end; ) {
    const to = chunkEnd(text, from + CHUNK_CHARACTERS);
    const folded = foldText(text.slice(from, to));
    // A phrase may go on in the next chunk.
    const mayMatch = isWithin(folded) || (HYPHEN.test(folded) && isWithin(folded.replace(HYPHENS, '')));
    const chunk = mayMatch ? text.slice(from, to + MAX_CHARACTERS) : '';
    const matches = matchesIn(chunk, marks);
    if (matches.length > 0) return cutAround(text, from, best(matches), matches);
    from = to;
  }
  return undefined;
}

/** Returns the beginning of a text; no parts for an empty one. */
export function cutBeginning(text: string): SnippetPart[] {
  const end = wordEnd(text, MAX_CHARACTERS);
  const shown = tidy(text.slice(0, end)).trim();
  return shown === '' ? [] : [{ text: end < text.length ? `${shown}…` : shown, isMark: false }];
}

/** Returns the match from which a snippet has the most different matches. */
function best(matches: readonly Match[]): Match {
  let [chosen] = matches as [Match, ...Match[]];
  let most = 0;
  for (const [index, first] of matches.entries()) {
    const phrases = new Set<string>();
    for (let at = index; at < matches.length; at++) {
      const { end, phrase } = matches[at] as Match;
      if (end - first.start > MAX_CHARACTERS - MAX_BEFORE) break;
      phrases.add(phrase);
    }
    if (phrases.size > most) [chosen, most] = [first, phrases.size];
  }
  return chosen;
}

/** Cuts a snippet around a match. The places of matches are relative to `offset`. */
function cutAround(text: string, offset: number, first: Match, matches: readonly Match[]): SnippetPart[] {
  const middle = offset + first.start;
  const start = middle <= MAX_BEFORE ? 0 : wordStart(text, middle - MAX_BEFORE, middle);
  const end = Math.max(wordEnd(text, start + MAX_CHARACTERS), offset + first.end);
  const parts: SnippetPart[] = [];
  const add = (part: string, isMark: boolean) => {
    if (part !== '') parts.push({ text: tidy(part), isMark });
  };
  let at = start;
  for (const match of matches) {
    const [from, to] = [offset + match.start, offset + match.end];
    if (from < at || to > end) continue;
    add(text.slice(at, from), false);
    add(text.slice(from, to), true);
    at = to;
  }
  add(text.slice(at, end), false);
  return withEllipses(parts, start > 0, end < text.length);
}

function withEllipses(parts: SnippetPart[], isCutBefore: boolean, isCutAfter: boolean): SnippetPart[] {
  const shown = [...parts];
  if (isCutBefore) shown.unshift({ text: '…', isMark: false });
  if (isCutAfter) shown.push({ text: '…', isMark: false });
  return joined(shown);
}

/** Joins neighbours that are not marked. */
function joined(parts: readonly SnippetPart[]): SnippetPart[] {
  const all: SnippetPart[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (last !== undefined && !last.isMark && !part.isMark)
      all[all.length - 1] = { text: last.text + part.text, isMark: false };
    else all.push(part);
  }
  return all;
}

function tidy(text: string): string {
  return text.replace(/\s+/g, ' ');
}

/** Returns the beginning of a word behind `at`, before `limit`. */
function wordStart(text: string, at: number, limit: number): number {
  const space = text.slice(at, limit).search(/\s/);
  return space === -1 ? whole(text, at) : at + space + 1;
}

/** Returns the end of the last word before `at`. */
function wordEnd(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const cut = text.slice(0, at).search(/\s\S*$/);
  return cut > at / 2 ? cut : whole(text, at);
}

function chunkEnd(text: string, at: number): number {
  if (at >= text.length) return text.length;
  const space = text.slice(at, at + MAX_CHARACTERS).search(/\s/);
  return space === -1 ? whole(text, at) : at + space;
}

/** Returns a place that does not divide a pair of surrogates. */
function whole(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at;
}
