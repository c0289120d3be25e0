import type { AccessRule } from '../../src/model/access-rules.ts';

/** The term whose holders are the role member. */
export const MEMBERS_TERM = 911;
export const THUMBNAIL = 901;
export const SERVICE = 902;
export const URIS = { [THUMBNAIL]: 'http://pcdm.org/use#ThumbnailImage', [SERVICE]: 'http://pcdm.org/use#ServiceFile' };
const DAYS = ['2031-05-01', '2031-05-02', '2031-05-03'] as const;

export const RULES: readonly AccessRule[] = [
  { level: 'open' },
  { level: 'closed' },
  { level: 'closed', from: DAYS[1] },
  { level: 'closed', until: DAYS[1] },
  { level: 'files_closed' },
  { level: 'files_closed', open_uses: Object.values(URIS) },
  { level: 'files_closed', from: DAYS[1], until: DAYS[2] },
  { level: 'closed', roles: ['member'] },
  { level: 'closed', users: [7], until: DAYS[2] },
  { level: 'files_closed', networks: ['campus'] },
  { level: 'closed', terms: [MEMBERS_TERM] },
];
/** A caller of the definition. */
export interface Caller {
  readonly id: number;
  readonly roles: readonly string[];
  readonly networks: readonly string[];
  readonly granted: readonly number[];
}
export const CALLERS: readonly Caller[] = [
  { id: 0, roles: [], networks: [], granted: [] },
  { id: 0, roles: [], networks: ['campus'], granted: [] },
  { id: 7, roles: [], networks: [], granted: [] },
  { id: 8, roles: ['member'], networks: [], granted: [] },
];

/** A node as the test knows it. A deleted one stays, for what its members keep. */
export interface Model {
  rules: AccessRule[];
  parents: number[];
  isDeleted: boolean;
  wasBelowDeleted?: boolean;
}
export type Graph = Map<number, Model>;

/** The definition: the rules of a node, or else those of the nearest ones above it, by every way up. */
function rulesFor(graph: Graph, nid: number, seen = new Set<number>()): AccessRule[] {
  const node = graph.get(nid);
  if (node === undefined || seen.has(nid) || node.isDeleted) return [];
  seen.add(nid);
  return node.rules.length > 0 ? node.rules : node.parents.flatMap((each) => rulesFor(graph, each, seen));
}
/** The definition: all rules in force must let a caller in. 0: nothing, 1: the description, 2, 3: a use more each, 4: all. */
function shareFor(rules: readonly AccessRule[], { id, roles, networks }: Caller, day: string): number {
  const closing = rules.filter(({ from = day, until = '9999', ...rule }) => {
    const isHeld = [...(rule.terms ?? []), ...(rule.access_terms ?? [])].length > 0 && roles.includes('member');
    const isIn = rule.users?.includes(id) || rule.networks?.some((each) => networks.includes(each)) || isHeld;
    return (
      rule.level !== 'open' && from <= day && day < until && !isIn && !rule.roles?.some((each) => roles.includes(each))
    );
  });
  if (closing.some(({ level }) => level !== 'files_closed')) return 0;
  return closing.length === 0 ? 4 : closing.every(({ open_uses }) => open_uses !== undefined) ? 3 : 2;
}

/** The clock of the graphs, in seconds since 1970. */
export const clock = { now: 0 };

/** Returns what a function returns for each caller on each day. */
export function eachView(view: (caller: Caller, day: string) => number): number[] {
  return DAYS.flatMap((day) => {
    clock.now = Date.parse(`${day}T12:00:00Z`) / 1000;
    return CALLERS.map((caller) => view(caller, day));
  });
}

/** Returns the nodes above a node, whether or not a rule is between. */
export function above(graph: Graph, nid: number, known = new Set<number>()): Set<number> {
  for (const parent of graph.get(nid)?.parents ?? []) if (!known.has(parent)) above(graph, parent, known.add(parent));
  return known;
}

/**
 * Returns the least that callers get of a node: the definition, except for nodes that were below one that was deleted, and in
 * circles. These may keep what they had.
 */
export function leastOf(graph: Graph, nid: number): number[] {
  const all = [nid, ...above(graph, nid)];
  const isKept = all.some((each) => graph.get(each)?.wasBelowDeleted || isCircular(graph, each));
  const rules = rulesFor(graph, nid);
  return eachView((caller, day) => (isKept ? 0 : shareFor(rules, caller, day)));
}
const isCircular = (graph: Graph, nid: number): boolean =>
  graph.get(nid)?.parents.some((parent) => parent !== nid && above(graph, parent).has(nid)) === true;
export function mostOf(graph: Graph, nid: number): number[] {
  const rules = rulesFor(graph, nid);
  return eachView((caller, day) => shareFor(rules, caller, day));
}
