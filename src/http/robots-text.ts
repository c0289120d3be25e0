import type { KnownRobot } from './known-robots.ts';

/** The policies for robots, the default first. */
export const ROBOT_POLICIES = ['open', 'search-engines', 'no-training', 'closed'] as const;
export type RobotPolicy = (typeof ROBOT_POLICIES)[number];

/** The addresses that no robot needs: forms, computed answers, and other views of what the sitemap lists. */
const DISALLOWED = [
  '/admin/',
  '/user/login',
  '/search$',
  '/search?',
  '/search/',
  // Sorted and filtered lists. Their first pages, and the pages after them, stay open.
  ...['sort', 'view', 'in', 'files'].flatMap((name) => [`/*?${name}=`, `/*&${name}=`]),
  '/node/*/revisions',
  '/media/*/revisions',
  '/node/*/search',
  '/node/*/iiif/search',
  '/paged-content-search/',
  '/single-page-content-search/',
  // Computed images. Thumbnails are files.
  '/iiif/3/',
  '/reconcile',
  '/access/',
  '/node/*/ask',
];

/** Returns the text of `/robots.txt` by a policy (RFC 9309), without the address of the sitemap. */
export function robotsText(policy: RobotPolicy, known: readonly KnownRobot[]): string {
  const open = DISALLOWED.map((path) => `Disallow: ${path}`);
  const nothing = ['Disallow: /'];
  const named = (...purposes: KnownRobot['purpose'][]) =>
    known.filter(({ purpose }) => purposes.includes(purpose)).map(({ name }) => name);
  switch (policy) {
    case 'open':
      return groups([['*'], open]);
    case 'search-engines':
      return groups([named('search'), open], [['*'], nothing]);
    case 'no-training':
      return groups([named('training'), nothing], [['*'], open]);
    case 'closed':
      return groups([['*'], nothing]);
    default:
      policy satisfies never;
      throw new Error(`no rules for ${policy}`);
  }
}

type Group = readonly [agents: readonly string[], rules: readonly string[]];

function groups(...all: readonly Group[]): string {
  return all
    .filter(([agents]) => agents.length > 0)
    .map(([agents, rules]) => [...agents.map((name) => `User-agent: ${name}`), ...rules, ''].join('\n'))
    .join('\n');
}
