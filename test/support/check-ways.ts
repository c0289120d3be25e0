import { expect, setSystemTime } from 'bun:test';
import {
  CALLERS,
  CASES,
  MOMENTS,
  type Moment,
  maySee,
  PARTS,
  type Part,
  type RestrictedItem,
  type RestrictedSite,
  type RuleCaller,
  wordOf,
} from './restricted-site.ts';
import { sized } from './size.ts';
import type { Way } from './ways-to-content.ts';

/** The answers by which a caller learns that content exists, and is open. */
const SAYS_YES = (status: number) => status < 400;

/** The item that is no direct member of the whole. */
const OUTSIDE = 'cinnabar';

/** Asks by a way as each caller, before and after a date. Returns what is wrong with the answers, in words. */
export async function faultsOf(site: RestrictedSite, way: Way): Promise<string[]> {
  const faults: string[] = [];
  for (const moment of Object.keys(MOMENTS) as Moment[]) {
    setSystemTime(new Date(MOMENTS[moment]));
    const items = way.isOfEach ? [...site.items] : [...site.items].slice(0, 1);
    for (const [name, item] of items) {
      // The answers about an item without a date would be the same.
      if (way.isOfEach && moment === 'after' && CASES[name]?.closedAt?.length !== 1) continue;
      const callers = way.isOfEach ? callersFor(way, name) : CALLERS;
      const asked = callers.map((caller) => faultsFor(site, way, { caller, moment, name, item }));
      faults.push(...(await Promise.all(asked)).flat());
    }
  }
  return faults;
}

/** Returns strangers, those whom a rule lets in, and in the small size two of the others, in turns. */
function callersFor(way: Way, name: string): readonly RuleCaller[] {
  const others = CALLERS.filter((caller) => caller !== 'anonymous' && !CASES[name]?.letsIn?.includes(caller));
  const first = (way.name.length * 5 + name.length * 3) % others.length;
  const some = [...others, ...others].slice(first, first + sized(2, others.length));
  return ['anonymous', ...(CASES[name]?.letsIn ?? []), ...some];
}

interface Asked {
  readonly caller: RuleCaller;
  readonly moment: Moment;
  readonly name: string;
  readonly item: RestrictedItem;
}

async function faultsFor(site: RestrictedSite, way: Way, { caller, moment, name, item }: Asked): Promise<string[]> {
  const { method = 'GET', headers = {} } = way;
  const path = way.path(site, item, name);
  const answer = await site.ask(path, caller, { method, headers: { ...headers } });
  const heads = [...answer.headers].map(([header, value]) => `${header}: ${value}`).join('\n');
  const text = `${heads}\n${await answer.text()}`;
  const prefix = `${way.name} as ${caller} ${moment}, ${path} (${answer.status}): `;
  const faults = answer.status === 500 ? [`${prefix}fails`] : [];
  for (const each of Object.keys(CASES))
    for (const part of PARTS) {
      const isGranted = way.grants?.includes(part) === true && each === name && SAYS_YES(answer.status);
      const isShown = isGranted || text.toLowerCase().includes(wordOf(each, part));
      const isAllowed = maySee(each, part, way.isForStrangers ? 'anonymous' : caller, moment);
      if (isShown && !isAllowed) faults.push(`${prefix}shows the ${part} of ${each}`);
      if (isAllowed && !isShown && isExpected(way, each, part, { caller, moment, name }, answer.status))
        faults.push(`${prefix}lacks the ${part} of ${each}`);
    }
  return faults;
}

/** Returns true if the answer to a caller who may see a part of an item should show it. */
function isExpected(
  way: Way,
  of: string,
  part: Part,
  { caller, moment, name }: Omit<Asked, 'item'>,
  status: number,
): boolean {
  if (!way.shows.includes(part) && !way.grants?.includes(part)) return false;
  if (way.isForSome && !SAYS_YES(status)) return false;
  if (way.isOfMembers && of === OUTSIDE) return false;
  return (!way.isOfEach || of === name) && maySee(of, way.needs ?? part, caller, moment);
}

/** Expects no faults of a way. */
export async function expectNoFaults(site: RestrictedSite, way: Way): Promise<void> {
  expect(await faultsOf(site, way)).toEqual([]);
}
