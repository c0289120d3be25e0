import { describe, expect, it } from 'bun:test';
import type { KnownRobot } from '../../../src/http/known-robots.ts';
import { type NameService, RobotVerifier } from '../../../src/http/robot-verifier.ts';
import { parseTrustedProxies } from '../../../src/http/trusted-proxies.ts';

const ROBOT: KnownRobot = {
  name: 'Bot',
  purpose: 'search',
  hosts: ['bot.example'],
  addresses: parseTrustedProxies(['192.0.2.0/24']),
};

const NAMES: Record<string, string[]> = {
  '198.51.100.1': ['crawl-1.bot.example'],
  '198.51.100.2': ['crawl-2.bot.example.attacker.example'],
  '198.51.100.3': ['crawl-1.bot.example'],
  '198.51.100.4': ['fakebot.example'],
  '2001:db8::1': ['Crawl-6.Bot.Example.'],
};
const ADDRESSES: Record<string, string[]> = {
  'crawl-1.bot.example': ['198.51.100.1'],
  'crawl-6.bot.example': ['2001:DB8::1'],
};

let asked = 0;
const find = async (table: Record<string, string[]>, name: string) => {
  asked += 1;
  const entry = table[name];
  if (entry === undefined) throw new Error('ENOTFOUND');
  return entry;
};
const SERVICE: NameService = {
  reverse: (address) => find(NAMES, address),
  resolve4: (name) => find(ADDRESSES, name),
  resolve6: (name) => find(ADDRESSES, name),
};

describe('a robot', () => {
  it.each([
    ['192.0.2.9', true, 'its list has the address'],
    ['198.51.100.1', true, 'the name leads back to the address'],
    ['2001:db8::1', true, 'the name leads back, in IPv6 and in other spellings'],
    ['198.51.100.2', false, 'the name only contains its domain'],
    ['198.51.100.3', false, 'the name leads to another address'],
    ['198.51.100.4', false, 'the name only ends like its domain'],
    ['198.51.100.5', false, 'the address has no name'],
  ])('at %s is verified: %p, since %s', async (address, expected) => {
    expect(await new RobotVerifier(SERVICE).verify(ROBOT, address)).toBe(expected);
  });

  it('without machines is never verified', async () => {
    const robot = { ...ROBOT, hosts: [], addresses: parseTrustedProxies([]) };
    expect(await new RobotVerifier(SERVICE).verify(robot, '198.51.100.1')).toBe(false);
  });

  it('is verified once a day, and a wrong one once an hour', async () => {
    let now = 0;
    const verifier = new RobotVerifier(SERVICE, () => now);
    const asks = async (address: string) => {
      asked = 0;
      await verifier.verify(ROBOT, address);
      return asked;
    };
    const times = [0, 3_599_000, 3_600_000, 86_399_000, 86_400_000];
    const counts = { right: [] as number[], wrong: [] as number[] };
    for (now of times) {
      counts.right.push(await asks('198.51.100.1'));
      counts.wrong.push(await asks('198.51.100.5'));
    }
    expect(counts).toEqual({ right: [2, 0, 0, 0, 2], wrong: [1, 0, 1, 1, 0] });
  });
});
