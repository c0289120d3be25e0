import { resolve4, resolve6, reverse } from 'node:dns/promises';
import { Cache } from '../base/cache.ts';
import type { KnownRobot } from './known-robots.ts';
import { usualAddress } from './trusted-proxies.ts';

/** The part of the DNS that a verification asks. */
export interface NameService {
  reverse(address: string): Promise<readonly string[]>;
  resolve4(name: string): Promise<readonly string[]>;
  resolve6(name: string): Promise<readonly string[]>;
}

const MAX_BYTES = 2 * 1024 * 1024;
const ENTRY_BYTES = 50;
/** A day for an address of a robot, and an hour for one that only uses its name: a failure of the DNS passes. */
const VERIFIED_MS = 86_400_000;
const REFUSED_MS = 3_600_000;
/** The verifications at a time. Others count as failed and are not remembered. */
const MAX_RUNNING = 16;
const TIMEOUT_MS = 2_000;

/** Verifies that the client of a request is the robot that it names. */
export class RobotVerifier {
  readonly #names: NameService;
  readonly #now: () => number;
  readonly #verdicts: Cache<boolean>;
  readonly #running = new Map<string, Promise<boolean>>();

  constructor(names: NameService = { reverse, resolve4, resolve6 }, now: () => number = Date.now) {
    this.#names = names;
    this.#now = now;
    this.#verdicts = new Cache<boolean>({ maxBytes: MAX_BYTES, bytesOf: () => ENTRY_BYTES, now });
  }

  /** Returns true if the address is one of the machines of the robot: by its list, or by the DNS in both directions. */
  async verify(robot: KnownRobot, address: string): Promise<boolean> {
    if (robot.addresses.isTrusted(address)) return true;
    if (robot.hosts.length === 0) return false;
    const key = `${robot.name} ${address}`;
    const known = this.#verdicts.get(key);
    if (known !== undefined) return known;
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    if (this.#running.size >= MAX_RUNNING) return false;
    const verification = this.#ask(robot, address).finally(() => this.#running.delete(key));
    this.#running.set(key, verification);
    const verdict = await verification;
    this.#verdicts.set(key, verdict, { expiresAtMs: this.#now() + (verdict ? VERIFIED_MS : REFUSED_MS) });
    return verdict;
  }

  async #ask({ hosts }: KnownRobot, address: string): Promise<boolean> {
    const late = Promise.withResolvers<false>();
    const timer = setTimeout(() => late.resolve(false), TIMEOUT_MS);
    try {
      return await Promise.race([this.#isBelow(hosts, address), late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #isBelow(hosts: readonly string[], address: string): Promise<boolean> {
    const names = await this.#names.reverse(address).catch(() => []);
    for (const name of names.map((each) => each.toLowerCase().replace(/\.$/, ''))) {
      if (!hosts.some((host) => name.endsWith(`.${host}`))) continue;
      const resolve = address.includes(':') ? this.#names.resolve6 : this.#names.resolve4;
      const addresses = await resolve(name).catch(() => []);
      if (addresses.some((each) => usualAddress(each) === address)) return true;
    }
    return false;
  }
}
