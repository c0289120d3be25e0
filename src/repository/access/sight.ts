import { type EffectiveRule, isInForce } from '../../model/access-rules.ts';
import type { AccessSets } from './access-sets.ts';

/** The circumstances of a caller that rules ask for. */
export interface Circumstances {
  /** 0 for the anonymous user. */
  readonly id: number;
  readonly roles: readonly string[];
  /** The names of the configured networks of the caller's address. */
  readonly networks: readonly string[];
  /** The nodes whose files a link opens to the caller. */
  readonly granted: readonly number[];
  /** Returns what the caller's roles for collections add at content of a set; undefined for nothing. */
  readonly placeOf?: (setId: number) => PlaceSight | undefined;
}

/** What roles for collections add to the sight of a caller. */
export interface PlaceSight {
  /** The roles of the caller there, with those that it has everywhere. */
  readonly roles: readonly string[];
  /** True if no rule restricts the caller there. */
  readonly isExempt: boolean;
  /** True if the caller sees all unpublished content there. */
  readonly seesDrafts: boolean;
}

/** Verdicts about the nodes of an access set; the numbers above `OPEN` are those of lists of open uses. */
export const CLOSED = 0;
export const OPEN = 1;
const FIRST_LIST = 2;
const LAST_LIST = 254;

/**
 * What a caller sees of restricted content: one verdict for each access set. Queries and arrays look it up by the id of the
 * set, which is why an unknown set counts as closed.
 */
export interface Sight {
  /** True if no rule applies to the caller: nothing needs to be looked up. */
  readonly isUnlimited: boolean;
  /** Differs for two sights with different verdicts: a part of the keys of caches. */
  readonly version: number;
  /** A byte for each set, from id 1: 0 closed, 1 open, otherwise the files are closed except for a list of uses. */
  readonly verdicts: Uint8Array;
  /** The ids of the uses that stay open, as a JSON object of lists by the byte of the verdict in hexadecimal. */
  readonly openUses: string;
  /** A byte for each set, from id 1: 1 if thumbnails are open. */
  readonly thumbnails: Uint8Array;
  /** A byte for each set, from id 1: 1 if the caller sees its unpublished content by a role for a collection. */
  readonly drafts: Uint8Array;
  /** True if there is such a set. */
  readonly hasDrafts: boolean;
  /** True if a set leaves descriptions open and closes files. */
  readonly hasClosedFiles: boolean;
  /** Returns true if the caller sees the description of nodes of a set. */
  sees(setId: number): boolean;
  /** Returns the ids of the uses that stay open of content of a set whose files are closed. */
  openUsesOf(setId: number): readonly number[];
  /** Returns true if the caller sees media with these uses, which belong to a node of a set. Without uses: any file. */
  seesFiles(setId: number, uses: readonly number[]): boolean;
}

/** The sight of callers whom no rule restricts. */
export const UNLIMITED: Sight = {
  isUnlimited: true,
  version: 0,
  verdicts: new Uint8Array(),
  openUses: '{}',
  thumbnails: new Uint8Array(),
  drafts: new Uint8Array(),
  hasDrafts: false,
  hasClosedFiles: false,
  sees: () => true,
  openUsesOf: () => [],
  seesFiles: () => true,
};

/** Computes the sight of a caller on a day of the site. */
export function createSight(sets: AccessSets, caller: Circumstances, day: string, version: number): Sight {
  const [verdicts, thumbnails] = [new Uint8Array(sets.lastId), new Uint8Array(sets.lastId)];
  const drafts = new Uint8Array(caller.placeOf === undefined ? 0 : sets.lastId);
  const lists: number[][] = [];
  const numbers = new Map<string, number>();
  const numberOf = (uses: readonly number[]): number => {
    const key = uses.join();
    const known = numbers.get(key);
    if (known !== undefined) return known;
    // More different lists than a byte can tell apart: the others close all files.
    if (lists.length > LAST_LIST - FIRST_LIST) return FIRST_LIST;
    lists.push([...uses]);
    numbers.set(key, lists.length - 1 + FIRST_LIST);
    return lists.length - 1 + FIRST_LIST;
  };
  numberOf([]);
  for (const id of sets.ids()) {
    const place = caller.placeOf?.(id);
    if (place?.seesDrafts) drafts[id - 1] = 1;
    const isOpen = place?.isExempt || sets.opens(id, caller.granted);
    const there = place === undefined ? caller : { ...caller, roles: place.roles };
    const outcome = isOpen ? 'open' : outcomeOf(sets.rulesOf(id), there, sets, day);
    const isThumbnailOpen = typeof outcome !== 'string' && sets.thumbnailUses.some((use) => outcome.includes(use));
    thumbnails[id - 1] = outcome === 'open' || isThumbnailOpen ? 1 : 0;
    verdicts[id - 1] = outcome === 'open' ? OPEN : outcome === 'closed' ? CLOSED : numberOf(outcome);
  }
  const verdictOf = (setId: number) => (setId === 0 ? OPEN : (verdicts[setId - 1] ?? CLOSED));
  return {
    isUnlimited: false,
    version,
    verdicts,
    thumbnails,
    drafts,
    hasDrafts: drafts.includes(1),
    hasClosedFiles: verdicts.some((verdict) => verdict >= FIRST_LIST),
    openUses: JSON.stringify(Object.fromEntries(lists.map((uses, index) => [hexOf(index + FIRST_LIST), uses]))),
    sees: (setId) => verdictOf(setId) !== CLOSED,
    openUsesOf: (setId) => lists[verdictOf(setId) - FIRST_LIST] ?? [],
    seesFiles(setId, uses) {
      const verdict = verdictOf(setId);
      if (verdict <= OPEN) return verdict === OPEN;
      const list = lists[verdict - FIRST_LIST] ?? [];
      return uses.length > 0 && uses.every((use) => list.includes(use));
    },
  };
}

const hexOf = (byte: number) => byte.toString(16).toUpperCase().padStart(2, '0');

/** Returns what all rules together leave open to a caller: everything, nothing, or files with one of some uses. */
function outcomeOf(
  rules: readonly EffectiveRule[],
  caller: Circumstances,
  sets: Pick<AccessSets, 'holds' | 'usesOf'>,
  day: string,
): 'open' | 'closed' | readonly number[] {
  let open: readonly number[] | undefined;
  for (const rule of rules) {
    if (!isInForce(rule, day) || admits(rule, caller, sets)) continue;
    if (rule.level === 'closed') return 'closed';
    const uses = sets.usesOf(rule);
    open = open === undefined ? uses : open.filter((use) => uses.includes(use));
  }
  return open ?? 'open';
}

/** Returns true if a rule lets a caller in. */
function admits(rule: EffectiveRule, { id, roles, networks }: Circumstances, sets: Pick<AccessSets, 'holds'>): boolean {
  return (
    (id !== 0 && rule.users.includes(id)) ||
    rule.roles.some((role) => roles.includes(role) || (role === 'authenticated' && id !== 0)) ||
    rule.networks.some((network) => networks.includes(network)) ||
    sets.holds(roles, rule.terms)
  );
}
