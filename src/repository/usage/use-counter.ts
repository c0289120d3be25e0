import type { RequestUse } from '../../http/request-log.ts';
import type { IsRobot } from './robots.ts';

/**
 * Two uses of the same thing by a visitor count as one if they are at most so many seconds apart (COUNTER Code of Practice 5.1,
 * 7.2).
 */
export const DOUBLE_CLICK_S = 30;

/** Number of waiting uses at which they are stored before their time. */
const MANY_USES = 20_000;
/** Number of waiting uses beyond which no more are counted: the database has not taken any for long. */
const MAX_USES = 200_000;
/** Number of user agents of which the counter remembers whether they are robots. */
const MAX_AGENTS = 10_000;

/** A visitor, whose name never leaves the memory of this process. */
export interface Visitor {
  readonly name: string;
}

/** A use that is not in the database yet. */
export interface WaitingUse {
  /** Seconds since 1970. */
  at: number;
  readonly kind: RequestUse['kind'];
  readonly id: number;
  readonly visitor: Visitor;
}

interface KnownVisitor extends Visitor {
  /** The last use of each thing. */
  readonly last: Map<number, WaitingUse>;
}

/** The visitors with a user agent. Undefined for a robot. */
type Agent = Map<string, KnownVisitor> | undefined;

/**
 * Counts uses in memory, until `take` hands them over. Each request of a page or file runs through `add`, which takes less than
 * a microsecond.
 */
export class UseCounter {
  readonly #isRobot: IsRobot;
  readonly #now: () => number;
  #agents = new Map<string, Agent>();
  #uses: WaitingUse[] = [];
  #lost = 0;
  #announce = () => {};

  /** `now` returns seconds since 1970. */
  constructor(isRobot: IsRobot, now: () => number) {
    this.#isRobot = isRobot;
    this.#now = now;
  }

  /** Calls `listener` when many uses wait. */
  onMany(listener: () => void): void {
    this.#announce = listener;
  }

  /** Counts a use, unless a robot made it. A repeated use replaces the one before. */
  add({ kind, id, userId, address }: RequestUse, userAgent: string): void {
    const visitors = this.#visitorsOf(userAgent);
    if (visitors === undefined) return;
    const place = userId === 0 ? address : `user ${userId}`;
    let visitor = visitors.get(place);
    if (visitor === undefined) {
      visitor = { name: userId === 0 ? `${address}\n${userAgent}` : place, last: new Map() };
      visitors.set(place, visitor);
    }
    const at = this.#now();
    const thing = kind === 'page' ? id * 2 : id * 2 + 1;
    const before = visitor.last.get(thing);
    if (before !== undefined && at - before.at <= DOUBLE_CLICK_S) {
      before.at = at;
      return;
    }
    if (this.#uses.length >= MAX_USES) {
      this.#lost += 1;
      return;
    }
    const use: WaitingUse = { at, kind, id, visitor };
    visitor.last.set(thing, use);
    this.#uses.push(use);
    if (this.#uses.length % MANY_USES === 0) this.#announce();
  }

  /** Hands over all uses, and the number of those that were not counted because too many waited. */
  take(): { readonly uses: readonly WaitingUse[]; readonly lost: number } {
    const taken = { uses: this.#uses, lost: this.#lost };
    this.#uses = [];
    this.#lost = 0;
    this.#agents = new Map();
    return taken;
  }

  /** Takes back uses that could not be stored. */
  takeBack(uses: readonly WaitingUse[]): void {
    this.#uses = [...uses, ...this.#uses];
  }

  #visitorsOf(userAgent: string): Agent {
    const known = this.#agents.get(userAgent);
    if (known !== undefined) return known;
    if (this.#agents.has(userAgent)) return undefined;
    // The database recognizes the repeated uses of forgotten visitors.
    if (this.#agents.size >= MAX_AGENTS) this.#agents = new Map();
    const agent: Agent = this.#isRobot(userAgent) ? undefined : new Map();
    this.#agents.set(userAgent, agent);
    return agent;
  }
}
