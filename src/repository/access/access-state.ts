import { sql } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import type { SiteDays } from '../../base/site-day.ts';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { accessAnchors, accessRules, accessSets, nodeAccess } from '../../database/schema/access.ts';
import { terms } from '../../database/schema/content.ts';
import { termUris } from '../../database/schema/references.ts';
import { generations } from '../../database/schema/system.ts';
import { isAmong } from '../../database/sql.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import { ACCESS_LEVELS } from '../../model/access-presets.ts';
import {
  type AccessNames,
  type AccessRights,
  type AccessTerm,
  effectiveRule,
  rightsOf,
  termIdsIn,
} from '../../model/access-rules.ts';
import { type AccessRows, AccessSets, partsOf } from './access-sets.ts';
import { findCollectionRoles, rolesOfRows } from './collection-roles.ts';
import { type HarvestTimes, harvestTimesOf } from './harvest-times.ts';
import { type Circumstances, createSight, type Sight } from './sight.ts';

/** The sights of a few networks and many users. */
const MAX_SIGHTS = 500;

const findGenerations = prepare(() =>
  plain(sql`SELECT ${generations.value}, ${generations.access} FROM ${generations}`, {
    generation: sql<number>`generation`,
    access: sql<number>`access`,
  }),
);
const findRules = prepare(() => query.select({ id: accessRules.id, rule: accessRules.rule }).from(accessRules));
const findSets = prepare(() => query.select({ id: accessSets.id, parts: accessSets.parts }).from(accessSets));
const findAnchors = prepare(() =>
  plain(
    sql`SELECT ${accessAnchors.nid}, coalesce(${nodeAccess.setId}, 0), coalesce(${nodeAccess.changed}, 0)
      FROM ${accessAnchors} LEFT JOIN ${nodeAccess} ON ${nodeAccess.nid} = ${accessAnchors.nid}`,
    { nid: sql<number>`nid`, setId: sql<number>`set_id`, changed: sql<number>`changed` },
  ),
);

const findUses = prepare(({ uris }: Named<{ readonly uris: string }>) =>
  query.select({ id: termUris.termId, uri: termUris.uri }).from(termUris).where(isAmong(termUris.uri, uris)),
);
const findTerms = prepare(({ ids }: Named<{ readonly ids: string }>) =>
  query
    .select({
      id: terms.id,
      name: terms.label,
      changed: terms.changed,
      level: sql<string | null>`${terms.document} ->> '$.field_access_level[0].value'`,
      roles: sql<string>`(SELECT json_group_array(item.value ->> 'target_id')
        FROM json_each(${terms.document}, '$.field_access_roles') item)`,
    })
    .from(terms)
    .where(isAmong(terms.id, ids)),
);

const NOTHING = new AccessSets({
  rules: new Map(),
  sets: new Map(),
  anchors: new Map(),
  changed: new Map(),
  uses: new Map(),
  terms: new Map(),
  roles: new Map(),
});

/** What applies to content of a set that this process does not know yet. */
const CLOSED_RIGHTS: AccessRights = {
  ...{ level: 'closed', until: undefined, reason: undefined, contact: undefined, admitsSome: false },
};

type StoredRows = Pick<AccessRows, 'sets' | 'anchors' | 'changed' | 'roles'> & {
  readonly rules: readonly { readonly id: number; readonly rule: string }[];
};

interface AccessParts {
  readonly database: Database;
  readonly names: AccessNames;
  readonly days: SiteDays;
  /** Returns the seconds since 1970. */
  readonly now: () => number;
}

/**
 * The access rules of a process. They are read again when the generation of the database has changed or is unknown, so that a
 * change holds with the next request of any process.
 */
export class AccessState {
  readonly #parts: AccessParts;
  #sets = NOTHING;
  #generation = -1;
  /** The number of changes of access rules up to those that were read. */
  #access = -1;
  #rows: StoredRows | undefined;
  #sights = new LRUCache<string, Sight>({ max: MAX_SIGHTS });
  readonly #harvestTimes = new WeakMap<Sight, HarvestTimes>();
  #day = '';
  #version = 1;

  constructor(parts: AccessParts) {
    this.#parts = parts;
  }

  /** The present rules, without those that another process has changed since the last `refresh`. */
  get sets(): AccessSets {
    return this.#sets;
  }

  get names(): AccessNames {
    return this.#parts.names;
  }

  /** Reads the rules again if they may have changed. Undefined: they have not. */
  refresh(): Promise<void> | undefined {
    return this.#parts.database.knownGeneration() === this.#generation ? undefined : this.#read();
  }

  /** Makes the next `refresh` read the rules again. */
  forget(): void {
    this.#generation = -1;
  }

  async #read(): Promise<void> {
    const { database } = this.#parts;
    const found = await database.get(findGenerations());
    if (found?.access === this.#access) {
      // A changed term may have got or lost the URI of a use, or closes something else.
      if (this.#rows !== undefined) await this.#complete(this.#rows);
      this.#generation = Math.max(this.#generation, found.generation);
      return;
    }
    const { current, rules, sets, anchors, roles } = await database.read({
      current: findGenerations(),
      rules: findRules(),
      sets: findSets(),
      anchors: findAnchors(),
      roles: findCollectionRoles(),
    });
    const { generation, access } = current[0] ?? { generation: 0, access: 0 };
    // The older one of two reads at the same time may end last.
    if (generation < this.#generation) return;
    this.#generation = generation;
    this.#access = access;
    this.#rows = {
      rules,
      sets: new Map(sets.map(({ id, parts }) => [id, partsOf(parts)])),
      anchors: new Map(anchors.map(({ nid, setId }) => [nid, setId])),
      roles: rolesOfRows(roles),
      changed: new Map(anchors.map(({ nid, changed }) => [nid, changed])),
    };
    await this.#complete(this.#rows);
  }

  /** Reads the terms that rules name, and replaces the present rules. */
  async #complete({ rules, ...rows }: StoredRows): Promise<void> {
    const { names } = this.#parts;
    const terms = await this.#findTerms([...new Set(rules.flatMap(({ rule }) => termIdsIn(rule)))]);
    const effective = new Map(rules.map(({ id, rule }) => [id, effectiveRule(rule, names, terms)]));
    const uses = await this.#findUses([...new Set([...effective.values()].flatMap(({ openUses }) => openUses))]);
    this.#sets = new AccessSets({ ...rows, rules: effective, uses, terms });
    this.#forget();
  }

  async #findUses(uris: readonly string[]): Promise<Map<string, number[]>> {
    const uses = new Map<string, number[]>();
    if (uris.length === 0) return uses;
    for (const { id, uri } of await this.#parts.database.all(findUses({ uris: JSON.stringify(uris) })))
      uses.set(uri, [...(uses.get(uri) ?? []), id]);
    return uses;
  }

  async #findTerms(ids: readonly number[]): Promise<Map<number, AccessTerm & { changed: number }>> {
    if (ids.length === 0) return new Map();
    const rows = await this.#parts.database.all(findTerms({ ids: JSON.stringify(ids) }));
    const level = (text: string | null) => ACCESS_LEVELS.find((each) => each === text) ?? 'closed';
    return new Map(
      rows.map((row) => [
        row.id,
        { name: row.name, level: level(row.level), roles: JSON.parse(row.roles) as string[], changed: row.changed },
      ]),
    );
  }

  #forget(): void {
    this.#sights.clear();
    this.#version += 1;
  }

  /** Returns what the rules of a set close today; undefined for nothing. */
  rightsOf(setId: number): AccessRights | undefined {
    if (setId === 0) return undefined;
    // Another process has made it since.
    if (!this.#sets.has(setId)) return CLOSED_RIGHTS;
    return rightsOf(this.#sets.rulesOf(setId), this.today);
  }

  /** Returns since when the sets restrict a caller as they do today. Undefined for a caller whom no rule restricts. */
  harvestTimes(sight: Sight): HarvestTimes | undefined {
    if (sight.isUnlimited) return undefined;
    let times = this.#harvestTimes.get(sight);
    if (times === undefined) {
      const { days } = this.#parts;
      times = harvestTimesOf(this.#sets, sight, (setId) => this.#sets.changedOf(setId, this.today, days.beginOf));
      this.#harvestTimes.set(sight, times);
    }
    return times;
  }

  /** The day of the site. */
  get today(): string {
    return this.#parts.days.dayAt(this.#parts.now());
  }

  /** The seconds until the next day of the site begins, when rules begin and end. */
  get secondsToday(): number {
    const now = this.#parts.now();
    return this.#parts.days.nextDayAfter(now) - now;
  }

  /**
   * Returns the seconds for which an answer may be kept that is valid for `seconds` without rules: these begin and end with the
   * days of the site.
   */
  cacheSeconds(seconds: number): number {
    return this.#sets.isEmpty ? seconds : Math.max(0, Math.min(seconds, this.secondsToday));
  }

  /** Returns what a caller sees now. */
  sightOf(caller: Circumstances): Sight {
    const day = this.today;
    if (day !== this.#day) {
      this.#day = day;
      this.#forget();
    }
    const isAlone = this.#sets.namedUsers.has(caller.id) || this.#sets.hasPlaces(caller.id);
    const user = isAlone ? caller.id : Math.min(caller.id, 1);
    const key = [user, caller.roles.join(), caller.networks.join(), caller.granted.join()].join('|');
    let sight = this.#sights.get(key);
    if (sight === undefined) {
      this.#version += 1;
      sight = createSight(this.#sets, caller, day, this.#version);
      this.#sights.set(key, sight);
    }
    return sight;
  }
}
