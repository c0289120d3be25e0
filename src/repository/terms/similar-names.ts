import { distance } from 'fastest-levenshtein';
import { foldText } from '../../base/fold-text.ts';

/** A name of a term. */
export interface NamedTerm {
  readonly id: number;
  readonly label: string;
}

/** Two terms that may be the same, and the difference of their names. */
export interface SimilarPair {
  readonly one: NamedTerm;
  readonly other: NamedTerm;
  readonly difference: 'writing' | 'order' | 'dates' | 'letter';
}

/** Maximum number of pairs: more are not worked through at once. */
export const MAX_PAIRS = 500;
/** The number of characters in which names of one edit apart agree at the beginning of their keys. */
const PREFIX = 4;
/** The number of following keys of the same beginning with which a key is compared. */
const COMPARED = 50;
const YEAR = /\d{3,4}/g;
/** Words beside the years of a person. */
const BESIDE_YEARS = new Set(['b', 'd', 'ca', 'fl', 'born', 'died', 'active', 'approximately']);
const NO_DIGITS = /\D+/g;

interface Entry extends NamedTerm {
  readonly words: string;
  /** The words in order, without years. */
  readonly key: string;
  readonly years: string;
}

function entryOf({ id, label }: NamedTerm): Entry {
  const words = foldText(label)
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  const years = words.filter((word) => word.match(YEAR)?.[0] === word);
  const others = words.filter((word) => !years.includes(word) && (years.length === 0 || !BESIDE_YEARS.has(word)));
  const named = others.length > 0 ? others : words;
  return { id, label, words: words.join(' '), key: named.toSorted().join(' '), years: years.join(' ') };
}

/** Finds names of a vocabulary that differ in writing, in the order of words, in dates, or in one letter. */
export class SimilarNames {
  /** By the beginnings of their keys: each list is sorted in a step of its own. */
  readonly #entries = new Map<string, Entry[]>();

  add(term: NamedTerm): void {
    const entry = entryOf(term);
    const beginning = entry.key.slice(0, PREFIX);
    const listed = this.#entries.get(beginning);
    if (listed === undefined) this.#entries.set(beginning, [entry]);
    else listed.push(entry);
  }

  /** Returns the first pairs, those with the same words first. Calls `rest` between steps, for other work. */
  async pairs(rest: () => Promise<void>): Promise<SimilarPair[]> {
    const same: SimilarPair[] = [];
    const near: SimilarPair[] = [];
    let compared = 0;
    for (const unsorted of this.#entries.values()) {
      const entries = unsorted.sort((a, b) => (a.key === b.key ? a.id - b.id : a.key < b.key ? -1 : 1));
      for (const [at, one] of entries.entries()) {
        if (same.length >= MAX_PAIRS) return same.slice(0, MAX_PAIRS);
        if (++compared % COMPARED === 0) await rest();
        for (const other of entries.slice(at + 1, at + 1 + COMPARED)) {
          const difference = differenceOf(one, other);
          if (difference === undefined) continue;
          const pair = { one: named(one), other: named(other), difference };
          if (difference !== 'letter') same.push(pair);
          else if (near.length < MAX_PAIRS) near.push(pair);
        }
      }
    }
    return [...same, ...near].slice(0, MAX_PAIRS);
  }
}

const named = ({ id, label }: NamedTerm): NamedTerm => ({ id, label });

/** Returns the difference of two names that may mean the same. Undefined for names that do not. */
function differenceOf(one: Entry, other: Entry): SimilarPair['difference'] | undefined {
  // People of the same name have other years.
  const mayBeSame = one.years === other.years || one.years === '' || other.years === '';
  if (!mayBeSame) return undefined;
  if (one.words === other.words) return 'writing';
  if (one.key === other.key) return one.years === other.years ? 'order' : 'dates';
  if (one.key.length < PREFIX + 1 || Math.abs(one.key.length - other.key.length) > 1) return undefined;
  const isNumbered = one.key.replaceAll(NO_DIGITS, ' ') !== other.key.replaceAll(NO_DIGITS, ' ');
  return !isNumbered && distance(one.key, other.key) === 1 ? 'letter' : undefined;
}
