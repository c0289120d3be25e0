import { describe, expect, it } from 'bun:test';
import { parseYamlText } from '../../../src/base/yaml-file.ts';
import { readKnownRobots, robotOf } from '../../../src/http/known-robots.ts';
import { ROBOT_POLICIES, robotsText } from '../../../src/http/robots-text.ts';
import { defaultRobotsFile } from '../../../src/server/load-robots.ts';

const KNOWN = readKnownRobots(defaultRobotsFile(), undefined);
const list = (text: string) =>
  readKnownRobots(
    defaultRobotsFile(),
    parseYamlText('robots.yaml', text, () => undefined),
  );

/** Returns true if the rules admit a path: those of the robot's group, or else those of all (RFC 9309, 2.2). */
function admits(text: string, agent: string, path: string): boolean {
  const groups = text.split('\n\n').map((group) => {
    const lines = group.split('\n').filter((line) => line !== '');
    const values = (name: string) =>
      lines.filter((line) => line.startsWith(name)).map((line) => line.slice(name.length));
    return { agents: values('User-agent: '), disallowed: values('Disallow: ') };
  });
  const group =
    groups.find(({ agents }) => agents.includes(agent)) ?? groups.find(({ agents }) => agents.includes('*'));
  return !group?.disallowed.some((rule) => patternOf(rule).test(path));
}

function patternOf(rule: string): RegExp {
  const parts = rule.replace(/\$$/, '').split('*');
  const text = parts.map((part) => part.replace(/[.?+^()[\]{}|\\]/g, '\\$&')).join('.*');
  return new RegExp(`^${text}${rule.endsWith('$') ? '$' : ''}`);
}

describe('the rules for robots', () => {
  it.each([
    ['open', { Googlebot: true, GPTBot: true, Unknown: true }],
    ['search-engines', { Googlebot: true, GPTBot: false, Unknown: false }],
    ['no-training', { Googlebot: true, GPTBot: false, Unknown: true }],
    ['closed', { Googlebot: false, GPTBot: false, Unknown: false }],
  ] as const)('of the policy %s admit', (policy, expected) => {
    const text = robotsText(policy, KNOWN);
    const admitted = Object.keys(expected).map((agent) => [agent, admits(text, agent, '/node/1')]);
    expect(Object.fromEntries(admitted)).toEqual(expected);
  });

  it.each(['/search', '/search?q=a', '/search/suggest?q=a', '/node/1?page=2&sort=title', '/collections?view=list'])(
    'keep robots away from %s',
    (path) => {
      for (const policy of ROBOT_POLICIES) expect(admits(robotsText(policy, KNOWN), 'Googlebot', path)).toBe(false);
    },
  );

  it.each([
    '/node/1/revisions',
    '/node/1/revisions/2/view',
    '/iiif/3/b8a5/full/200,/0/default.jpg',
    '/node/1/search?q=a',
    '/admin/content',
  ])('keep robots away from %s', (path) => {
    expect(admits(robotsText('open', KNOWN), 'Unknown', path)).toBe(false);
  });

  it.each([
    '/',
    '/collections',
    '/collections?page=2',
    '/node/1',
    '/node/1?page=3',
    '/searching-guide',
    '/sitemap.xml?part=1',
    '/sites/default/files/a.jpg',
    '/node/1/manifest',
    '/oai/request?verb=Identify',
  ])('admit robots to %s', (path) => {
    expect(admits(robotsText('open', KNOWN), 'Unknown', path)).toBe(true);
  });
});

describe('a list of robots', () => {
  it('finds a robot by its User-Agent, by the longest name', () => {
    const agent = (text: string) => robotOf(KNOWN, text)?.name;
    expect(agent('Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)')).toBe('Googlebot');
    expect(agent('Mozilla/5.0 (compatible; bingbot/2.0)')).toBe('Bingbot');
    expect(agent('Applebot-Extended/1.0')).toBe('Applebot-Extended');
    expect(agent('Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0')).toBeUndefined();
    expect(agent('')).toBeUndefined();
  });

  it('is merged over the default one', () => {
    const known = list('robots: { Ours: { purpose: archive, addresses: [192.0.2.0/24] }, Bytespider: null }');
    expect(known.map(({ name }) => name)).toContain('Googlebot');
    expect(known.map(({ name }) => name)).not.toContain('Bytespider');
    expect(robotOf(known, 'Ours/1')?.addresses.isTrusted('192.0.2.7')).toBe(true);
    expect(robotOf(known, 'Ours/1')?.addresses.isTrusted('192.0.3.7')).toBe(false);
  });

  it.each([
    ['robots: { Ours: { purpose: other } }', 'one of search, archive, training'],
    ['robots: { Ours: { purpose: search, addresses: [10.0.0] } }', 'must be an address or a range'],
    ['robots: { Ours: { purpose: search, hosts: [a b] } }', 'a domain such as example.org'],
    ['robots: { "a b": { purpose: search } }', 'a name has letters, digits, points and hyphens'],
  ])('is refused: %s', (text, message) => {
    expect(() => list(text)).toThrow(message);
  });
});
