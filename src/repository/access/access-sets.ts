import type { AccessTerm, EffectiveRule } from '../../model/access-rules.ts';
import { MEDIA_USE_URI } from '../../model/media-use.ts';
import { type CollectionRoles, rolesAt } from './collection-roles.ts';

/** The parts of an access set. */
export interface SetParts {
  /** The ids of the rules of the content itself. */
  readonly rules: readonly number[];
  /** The nodes whose own sets hold for the content, too, unless it has a rule itself. */
  readonly anchors: readonly number[];
  /** The node whose permissions apply to the content alone; none for most sets. */
  readonly grants: readonly number[];
}

export const NO_PARTS: SetParts = { rules: [], anchors: [], grants: [] };

/** Returns the text of a set: `r3 n5 n9`. Empty for a set of nothing. */
export function textOfParts({ rules, anchors, grants }: SetParts): string {
  const parts = (letter: string, ids: readonly number[]) =>
    [...new Set(ids)].sort((one, other) => one - other).map((id) => `${letter}${id}`);
  return [...parts('r', rules), ...parts('n', anchors), ...parts('g', grants)].join(' ');
}

/** Parses the text of a set. */
export function partsOf(text: string): SetParts {
  const ids = (letter: string) =>
    text.split(' ').flatMap((part) => (part.startsWith(letter) ? [Number(part.slice(1))] : []));
  return { rules: ids('r'), anchors: ids('n'), grants: ids('g') };
}

/** The stored rows of access rules. */
export interface AccessRows {
  readonly rules: ReadonlyMap<number, EffectiveRule>;
  readonly sets: ReadonlyMap<number, SetParts>;
  /** The set of each node that others refer to. */
  readonly anchors: ReadonlyMap<number, number>;
  /** The ids of the terms with each URI of a media use. */
  readonly uses: ReadonlyMap<string, readonly number[]>;
  /** The time of the last change of the set of each of these nodes, in seconds since 1970. */
  readonly changed: ReadonlyMap<number, number>;
  /** The access terms that rules name, by id. */
  readonly terms: ReadonlyMap<number, AccessTerm & { readonly changed: number }>;
  readonly roles: CollectionRoles;
}

/** All access sets, as they were read at one moment. */
export class AccessSets {
  readonly #rows: AccessRows;
  readonly #rulesOf = new Map<number, readonly EffectiveRule[]>();
  readonly lastId: number;
  /** The users whom rules name: others with the same roles have the same sight. */
  readonly namedUsers: ReadonlySet<number>;

  constructor(rows: AccessRows) {
    this.#rows = rows;
    this.lastId = Math.max(0, ...rows.sets.keys());
    this.dependsOnNetworks = [...rows.rules.values()].some(({ networks }) => networks.length > 0);
    this.namedUsers = new Set(Array.from(rows.rules.values(), ({ users }) => users).flat());
  }

  /** True if what a caller sees depends on the network of the caller. */
  readonly dependsOnNetworks: boolean;

  /** True if no content is restricted, and no member of a node has to refer to it. */
  get isEmpty(): boolean {
    return this.#rows.sets.size === 0 && this.#rows.anchors.size === 0;
  }

  has(id: number): boolean {
    return this.#rows.sets.has(id);
  }

  ids(): Iterable<number> {
    return this.#rows.sets.keys();
  }

  /**
   * Returns the rules that apply to content of a set: its own, or else those of its nearest ancestors with rules, by every way
   * up. All of them must permit.
   */
  rulesOf(setId: number): readonly EffectiveRule[] {
    const known = this.#rulesOf.get(setId);
    if (known !== undefined) return known;
    const ids = new Set<number>();
    for (const parts of this.#nearest(setId)) for (const id of parts.rules) ids.add(id);
    const rules = [...ids].flatMap((id) => this.#rows.rules.get(id) ?? []);
    this.#rulesOf.set(setId, rules);
    return rules;
  }

  /** Returns the nodes whose rules apply to content of a set that has none itself. */
  sourcesOf(setId: number): number[] {
    return [...this.#nearest(setId)].flatMap(({ nid }) => (nid === undefined ? [] : [nid]));
  }

  /**
   * Returns the time of the last change of what applies to content of a set, in seconds since 1970: the nodes to which it
   * refers, the terms that its rules name, and the days on which these begin and end. Days after `today` are still to come.
   */
  changedOf(setId: number, today: string, beginOf: (day: string) => number): number {
    const visited = new Set<number>();
    let last = 0;
    for (const { rules } of this.#nearest(setId, visited))
      for (const id of rules) {
        const rule = this.#rows.rules.get(id);
        for (const day of [rule?.from, rule?.until])
          if (day !== undefined && day <= today) last = Math.max(last, beginOf(day));
        for (const term of rule?.terms ?? []) last = Math.max(last, this.#rows.terms.get(term)?.changed ?? 0);
      }
    for (const nid of visited) last = Math.max(last, this.#rows.changed.get(nid) ?? 0);
    return last;
  }

  /** Returns true if content of a set has rules of its own. */
  hasOwnRule(setId: number): boolean {
    return (this.#rows.sets.get(setId)?.rules.length ?? 0) > 0;
  }

  /** Finds the nearest sets with rules: the given one, or those above it. Circles end. `seen` collects the nodes on the way. */
  *#nearest(setId: number, seen = new Set<number>()): Generator<SetParts & { readonly nid?: number }> {
    const waiting: { setId: number; nid?: number }[] = [{ setId }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const parts = this.#rows.sets.get(next.setId);
      if (parts === undefined) continue;
      if (parts.rules.length > 0) {
        yield next.nid === undefined ? parts : { ...parts, nid: next.nid };
        continue;
      }
      for (const nid of parts.anchors) {
        if (seen.has(nid)) continue;
        seen.add(nid);
        waiting.push({ setId: this.#rows.anchors.get(nid) ?? 0, nid });
      }
    }
  }

  /** Returns the nodes above content of a set that others refer to, by every way up. */
  placesOf(setId: number): ReadonlySet<number> {
    const places = new Set<number>();
    const waiting = [setId];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
      for (const nid of this.#rows.sets.get(next)?.anchors ?? []) {
        if (places.has(nid)) continue;
        places.add(nid);
        waiting.push(this.#rows.anchors.get(nid) ?? 0);
      }
    return places;
  }

  /** Returns true if a user holds roles for any collection. */
  hasPlaces(userId: number): boolean {
    return this.#rows.roles.has(userId);
  }

  /** Returns the roles that a user holds at content of a set; without a set, those for any collection. */
  rolesAt(userId: number, setId?: number): readonly string[] {
    const byNode = this.#rows.roles.get(userId);
    if (byNode === undefined) return [];
    if (setId === undefined) return rolesAt(byNode, byNode.keys());
    const own = this.#rows.sets.get(setId)?.grants ?? [];
    return rolesAt(byNode, [...own, ...this.placesOf(setId)]);
  }

  /** Returns true if a set is that of one of the granted nodes, or of their direct members. */
  opens(setId: number, granted: readonly number[]): boolean {
    if (granted.length === 0) return false;
    const { grants, anchors } = this.#rows.sets.get(setId) ?? NO_PARTS;
    return granted.some((nid) => grants.includes(nid) || anchors.includes(nid));
  }

  /** The ids of the terms of the use Thumbnail, if a rule leaves it open. */
  get thumbnailUses(): readonly number[] {
    return this.#rows.uses.get(MEDIA_USE_URI.thumbnail) ?? [];
  }

  /** Returns the ids of the terms of the uses that a rule leaves open. */
  usesOf({ openUses }: EffectiveRule): number[] {
    return openUses.flatMap((uri) => this.#rows.uses.get(uri) ?? []).sort((one, other) => one - other);
  }

  /** Returns true if one of the roles holds one of the access terms. */
  holds(roles: readonly string[], terms: readonly number[]): boolean {
    return terms.some((id) => this.#rows.terms.get(id)?.roles.some((role) => roles.includes(role)));
  }

  /** Returns a stored rule. */
  rule(id: number): EffectiveRule | undefined {
    return this.#rows.rules.get(id);
  }

  /** Returns the restricting rules that end after a day, and no later than another one. */
  endingRules(
    after: string,
    last: string,
  ): { readonly id: number; readonly until: string; readonly contact: string | undefined }[] {
    return [...this.#rows.rules].flatMap(([id, { level, until, contact }]) =>
      level !== 'open' && until !== undefined && after < until && until <= last ? [{ id, until, contact }] : [],
    );
  }

  /** Returns the rules that cannot be applied as they were meant, with their ids. */
  broken(): { readonly id: number; readonly problem: string }[] {
    return [...this.#rows.rules].flatMap(([id, { problem }]) => (problem === undefined ? [] : [{ id, problem }]));
  }
}
