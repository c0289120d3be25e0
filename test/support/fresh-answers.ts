import { expect } from 'bun:test';
import { linkLines } from './link-lines.ts';
import type { LinkedSite } from './linked-site.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import { basic } from './test-repository.ts';

/** The callers: anonymous, a user who may read, `loader`, who owns content, and the administrator. */
export const CALLERS = ['anonymous', 'reader', 'loader', 'admin'] as const;
export type Caller = (typeof CALLERS)[number];
const FORMATS = ['json', 'jsonld', 'html'] as const;
/** With every change comes another revision, which links of media and terms name. */
const REVISION = /^\*revision-\w+-form /;

/** The links of an entity by caller. */
export type AnswersByCaller = Readonly<Record<Caller, readonly string[]>>;

export interface Change {
  /** Removed and added lines, for all callers or the named ones. */
  readonly removed?: readonly string[];
  readonly added?: readonly string[];
  readonly callers?: readonly Caller[];
}

/** Compares the responses of a site with those of a second process on its data: none may be outdated. */
export interface Watch {
  readonly other: ServerProcess;
  /**
   * Returns the links for each caller. The responses of both processes in each representation must agree with each other and
   * with an answer that is created again.
   */
  look(path: string): Promise<AnswersByCaller>;
  /** Fills the caches, makes a change, and compares: all lines but the named ones must be unchanged. */
  check(path: string, change: () => Promise<unknown>, expected: Change): Promise<void>;
  /** A change through the second process. */
  elsewhere(method: string, path: string, body?: object): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly lines: readonly string[];
  readonly text: string;
}

/** Sends a GET request. The first one for a `host` cannot be answered from a cache. */
async function ask(base: string, path: string, caller: Caller, host?: string): Promise<Answer> {
  const headers = new Headers(host === undefined ? {} : { Host: host });
  if (caller !== 'anonymous') headers.set('Authorization', basic(caller));
  const response = await fetch(`${base}${path}`, { headers, redirect: 'manual', keepalive: false });
  const own = host === undefined ? base : `http://${host}`;
  const text = (await response.text()).replaceAll(own, '');
  return { status: response.status, lines: linkLines(response, own), text };
}

/** Starts the second process. */
export async function createWatch(site: LinkedSite): Promise<Watch> {
  const { dataFolder, config } = site.repository;
  const other = await startServer({ data: dataFolder, settings: { database: config.database } });
  let hosts = 0;

  async function look(path: string): Promise<AnswersByCaller> {
    const seen: Partial<Record<Caller, readonly string[]>> = {};
    for (const caller of CALLERS) {
      for (const format of FORMATS) {
        const address = `${path}?_format=${format}`;
        const bases = [site.repository.url, other.url];
        const answers = await Promise.all(bases.map((base) => ask(base, address, caller)));
        hosts += 1;
        const uncached = await ask(site.repository.url, address, caller, `host-${hosts}.example`);
        for (const answer of answers) expect([caller, format, answer]).toEqual([caller, format, uncached]);
        if (format === 'json') seen[caller] = uncached.lines.filter((line) => !REVISION.test(line));
      }
    }
    return seen as AnswersByCaller;
  }

  return {
    other,
    look,
    async check(path, change, { removed = [], added = [], callers = CALLERS }) {
      await look(path);
      const before = await look(path);
      await change();
      const after = await look(path);
      for (const caller of CALLERS) {
        const missing = before[caller].filter((line) => !after[caller].includes(line));
        const extra = after[caller].filter((line) => !before[caller].includes(line));
        const expected = callers.includes(caller) ? [removed.toSorted(), added.toSorted()] : [[], []];
        expect([caller, missing.toSorted(), extra.toSorted()]).toEqual([caller, ...expected]);
      }
    },
    async elsewhere(method, path, body = {}) {
      const headers = { 'Content-Type': 'application/json' };
      const response = await other.fetch(`${path}?_format=json`, { method, headers, body: JSON.stringify(body) });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    },
  };
}
