import { ACCESS_LEVELS, type AccessLevel, type AccessPreset, USUAL_OPEN_USES } from './access-presets.ts';
import { parseRule } from './parse-rule.ts';

/**
 * The access rule of a node, as its editors set it. Without a preset it has a level; with one, its other members replace
 * those of the preset. Dates are days of the site (`2027-05-01`).
 */
export interface AccessRule {
  readonly preset?: string;
  readonly level?: AccessLevel;
  /** The first day on which the rule holds. */
  readonly from?: string;
  /** The first day on which it no longer holds. */
  readonly until?: string;
  /** The URIs of the media uses that stay open at the level `files_closed`. */
  readonly open_uses?: readonly string[];
  /** Those who are let in. */
  readonly roles?: readonly string[];
  readonly users?: readonly number[];
  readonly networks?: readonly string[];
  /** The ids of access terms whose holders are let in. */
  readonly terms?: readonly number[];
  /** The ids of the access terms of content: the rule is theirs. */
  readonly access_terms?: readonly number[];
  /** Why, and whom to ask: shown to everyone who meets the rule. */
  readonly reason?: string;
  readonly contact?: string;
}

const BROKEN = 'The stored rule cannot be read.';

/** Returns a stored rule as editors see and change it. One that cannot be read is one that closes everything, and says so. */
export function storedRule(text: string): AccessRule {
  return parseRule(text) ?? { level: 'closed', reason: BROKEN };
}

/** The names that rules may use. */
export interface AccessNames {
  readonly presets: ReadonlyMap<string, AccessPreset>;
  readonly roles: NameSet;
  readonly networks: NameSet;
}

interface NameSet {
  has(name: string): boolean;
  keys(): Iterable<string>;
}

/** A rule with the values of its preset. */
export interface EffectiveRule {
  readonly label: string;
  readonly level: AccessLevel;
  readonly from: string | undefined;
  readonly until: string | undefined;
  readonly openUses: readonly string[];
  readonly roles: readonly string[];
  readonly users: readonly number[];
  readonly networks: readonly string[];
  readonly terms: readonly number[];
  readonly reason: string | undefined;
  readonly contact: string | undefined;
  /** Why the rule cannot be applied as it was meant: it then closes everything. A sentence. */
  readonly problem?: string;
}

/** The members of a rule, in their order. */
export const RULE_MEMBERS = [
  ...(['preset', 'level', 'from', 'until', 'open_uses', 'roles', 'users', 'networks', 'terms'] as const),
  ...(['reason', 'contact'] as const),
];

/** Returns the one text of a rule: members in one order, lists sorted, nothing empty. */
export function ruleText(rule: AccessRule): string {
  const entries = RULE_MEMBERS.flatMap((name) => {
    const value = rule[name];
    if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) return [];
    return [[name, Array.isArray(value) ? [...new Set(value)].sort(inOrder) : value] as const];
  });
  return JSON.stringify(Object.fromEntries(entries));
}

function inOrder(one: string | number, other: string | number): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return String(one) < String(other) ? -1 : 1;
}

/** The shape of a day, and the first and last one that a calendar of four digits has. */
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Returns true for a day of the calendar from 0001-01-01 to 9999-12-31. */
export function isDay(text: string): boolean {
  if (!DAY.test(text) || text.startsWith('0000')) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Returns a stored rule with the values of its preset. A rule that is broken, or names what does not exist, closes everything. */
export function effectiveRule(text: string, names: AccessNames, terms: ReadonlyMap<number, AccessTerm>): EffectiveRule {
  const rule: AccessRule | undefined = parseRule(text);
  if (rule === undefined) return closing(BROKEN);
  if (rule.access_terms !== undefined) return ruleOfTerms(rule.access_terms, terms);
  const preset = rule.preset === undefined ? undefined : names.presets.get(rule.preset);
  if (rule.preset !== undefined && preset === undefined)
    return closing(`The configuration has no access preset "${rule.preset}".`);
  const level = rule.level ?? preset?.level;
  if (level === undefined) return closing('The rule has neither a preset nor a level.');
  const effective: EffectiveRule = {
    label: preset?.label ?? labelOf(level),
    level,
    from: rule.from,
    until: rule.until,
    openUses: rule.open_uses ?? preset?.openUses ?? USUAL_OPEN_USES,
    roles: rule.roles ?? preset?.roles ?? [],
    users: rule.users ?? [],
    networks: rule.networks ?? preset?.networks ?? [],
    terms: rule.terms ?? [],
    reason: rule.reason ?? preset?.reason,
    contact: rule.contact ?? preset?.contact,
  };
  const problem = problemOf(effective, preset, names);
  return problem === undefined ? effective : { ...closing(problem), label: effective.label };
}

/** What an access term closes, and the roles that hold it. */
export interface AccessTerm {
  readonly name: string;
  readonly level: AccessLevel;
  readonly roles: readonly string[];
}

/** Returns the rule of content with access terms: it lets their holders in, and closes what the strictest of them says. */
function ruleOfTerms(ids: readonly number[], terms: ReadonlyMap<number, AccessTerm>): EffectiveRule {
  const known = ids.flatMap((id) => terms.get(id) ?? []);
  const level =
    known.length === ids.length && known.every((term) => term.level !== 'closed') ? 'files_closed' : 'closed';
  return {
    ...NOBODY,
    label: known.map(({ name }) => name).join(', ') || labelOf(level),
    level,
    openUses: USUAL_OPEN_USES,
    roles: known.flatMap(({ roles }) => roles),
    terms: ids,
  };
}

/** Returns the ids of the access terms that the text of a rule names. */
export function termIdsIn(text: string): readonly number[] {
  const { access_terms: own = [], terms = [] }: AccessRule = parseRule(text) ?? {};
  return [...own, ...terms];
}

/** Returns what is wrong with a rule that an editor submits; undefined for a valid one. */
export function ruleProblem(rule: AccessRule, names: AccessNames): string | undefined {
  const { preset, level } = rule;
  if (level !== undefined && !ACCESS_LEVELS.includes(level))
    return `The level must be one of ${ACCESS_LEVELS.join(', ')}.`;
  if (preset === undefined && level === undefined)
    return `A rule needs a preset (${[...names.presets.keys()].join(', ')}) or a level (${ACCESS_LEVELS.join(', ')}).`;
  return effectiveRule(ruleText(rule), names, new Map()).problem;
}

/** The problem of a rule whose preset requires an end. */
export const NEEDS_END = 'The rule needs the day on which it ends.';

function problemOf(rule: EffectiveRule, preset: AccessPreset | undefined, names: AccessNames): string | undefined {
  const role = rule.roles.find((name) => !names.roles.has(name));
  if (role !== undefined) return `There is no role "${role}".`;
  const network = rule.networks.find((name) => !names.networks.has(name));
  if (network !== undefined) return `The setting networks has no entry "${network}".`;
  if (preset?.needsUntil && rule.until === undefined) return NEEDS_END;
  for (const day of [rule.from, rule.until])
    if (day !== undefined && !isDay(day)) return `"${day}" is not a day, such as 2027-05-01.`;
  if (rule.from !== undefined && rule.until !== undefined && rule.from >= rule.until)
    return 'The rule ends before it begins.';
  return undefined;
}

const NOBODY = {
  ...{ from: undefined, until: undefined, openUses: [], roles: [], users: [], networks: [], terms: [] },
  ...{ reason: undefined, contact: undefined },
};

/** Returns the rule that closes everything to everyone. */
function closing(problem: string): EffectiveRule {
  return { ...NOBODY, label: labelOf('closed'), level: 'closed', problem };
}

const LABELS: Readonly<Record<AccessLevel, string>> = {
  open: 'Open',
  files_closed: 'Only description',
  closed: 'Closed',
};

/** Returns the level of a rule in words. */
export const labelOf = (level: AccessLevel): string => LABELS[level];

/** Returns true if a rule restricts anything on a day of the site. */
export function isInForce(
  { level, from, until }: Pick<EffectiveRule, 'level' | 'from' | 'until'>,
  day: string,
): boolean {
  return level !== 'open' && (from === undefined || from <= day) && (until === undefined || day < until);
}

/** What rules close at present, as everyone may know it. */
export interface AccessRights {
  readonly level: Exclude<AccessLevel, 'open'>;
  /** The day from which nothing is closed any more; undefined without an end. */
  readonly until: string | undefined;
  readonly reason: string | undefined;
  readonly contact: string | undefined;
  /** True if a rule lets some callers in. */
  readonly admitsSome: boolean;
}

/** Returns what rules close together on a day of the site. Undefined if they close nothing. */
export function rightsOf(rules: readonly EffectiveRule[], day: string): AccessRights | undefined {
  const inForce = rules.filter((rule) => isInForce(rule, day));
  const strictest = inForce.find(({ level }) => level === 'closed') ?? inForce[0];
  if (strictest === undefined) return undefined;
  const ends = inForce.map(({ until }) => until);
  const until = ends.includes(undefined) ? undefined : ends.toSorted().at(-1);
  const level = strictest.level === 'closed' ? 'closed' : 'files_closed';
  const first = (member: 'reason' | 'contact') =>
    strictest[member] ?? inForce.find((rule) => rule[member] !== undefined)?.[member];
  const admitsSome = inForce.some(({ roles, users, networks }) => roles.length + users.length + networks.length > 0);
  return { level, until, reason: first('reason'), contact: first('contact'), admitsSome };
}

/** Returns true if a rule never opens to anyone what another one closes. */
export function isAsStrict(rule: EffectiveRule, other: EffectiveRule): boolean {
  if (other.level === 'open') return true;
  if (rule.level === 'open' || (other.level === 'closed' && rule.level !== 'closed')) return false;
  const begins = rule.from === undefined || (other.from !== undefined && rule.from <= other.from);
  const ends = rule.until === undefined || (other.until !== undefined && rule.until >= other.until);
  const lists = ['roles', 'users', 'networks', 'terms'] as const;
  const letsNoOthersIn = lists.every((list) => isWithin<string | number>(rule[list], other[list]));
  const opensNoOthers = rule.level === 'closed' || isWithin(rule.openUses, other.openUses);
  return begins && ends && letsNoOthersIn && opensNoOthers;
}

function isWithin<Value>(some: readonly Value[], all: readonly Value[]): boolean {
  return some.every((each) => all.includes(each));
}
