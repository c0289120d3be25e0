import type { AuthorityRecord } from '../authority-record.ts';
import { type Fact, isBlank, isOfUse, isRecord, type RecordRules, recordOf, resolveNodes } from './facts.ts';

/** The subjects that are open at a time: files have the statements about a subject, and its nodes, near each other. */
const OPEN_SUBJECTS = 20_000;
/** Facts about one subject that are kept together. */
const MAX_FACTS = 5_000;
/** Nodes behind nodes whose owner is looked for. */
const MAX_OWNERS = 3;

/** Statements about a subject that has no record here: that is written, or nodes refer to it. */
export interface Leftover {
  readonly subject: string;
  readonly facts: readonly Fact[];
}

interface RecordSink {
  record(record: AuthorityRecord): void;
  leftover(leftover: Leftover): void;
}

/**
 * Gathers the facts about each subject, in bounded memory, and gives its record to the sink when other subjects have followed.
 * What comes later, or refers to a missing node, is a leftover.
 */
export class RecordGatherer {
  readonly #rules: RecordRules;
  readonly #sink: RecordSink;
  readonly #maxOpen: number;
  /** In the order of their last facts. */
  readonly #open = new Map<string, Fact[]>();
  /** The subjects that refer to nodes. */
  readonly #owners = new Map<string, string>();
  #last: string | undefined;

  constructor(rules: RecordRules, sink: RecordSink, maxOpen = OPEN_SUBJECTS) {
    this.#rules = rules;
    this.#sink = sink;
    this.#maxOpen = maxOpen;
  }

  add(subject: string, fact: Fact): void {
    let facts = this.#open.get(subject) ?? [];
    if (subject !== this.#last) {
      this.#open.delete(subject);
      this.#open.set(subject, facts);
      this.#last = subject;
    }
    // A subject without end, such as a node that all records refer to, stays bounded.
    if (facts.length >= MAX_FACTS) {
      this.#close(subject);
      facts = [];
      this.#open.set(subject, facts);
    }
    facts.push(fact);
    if (fact[0].startsWith('node:')) this.#owners.set(fact[1], subject);
    if (this.#open.size > this.#maxOpen) this.#closeOldest();
  }

  /** Closes all subjects. */
  end(): void {
    while (this.#open.size > 0) this.#closeOldest();
  }

  #closeOldest(): void {
    const [oldest] = this.#open.keys();
    if (oldest === undefined) return;
    // A record takes its nodes along, which often come before it.
    const owner = this.#ownerOf(oldest);
    if (owner !== undefined && owner !== oldest) this.#close(owner);
    if (this.#open.has(oldest)) this.#close(oldest);
  }

  #ownerOf(key: string): string | undefined {
    let owner = this.#owners.get(key);
    for (let depth = 0; depth < MAX_OWNERS && owner !== undefined; depth++) {
      const above = this.#owners.get(owner);
      if (above === undefined || !this.#open.has(above)) break;
      owner = above;
    }
    return owner !== undefined && this.#open.has(owner) ? owner : undefined;
  }

  #close(subject: string): void {
    const facts = this.#take(subject);
    if (facts.some(([role]) => role === 'skipped')) {
      // Its name may have come before, or come later.
      if (!isOfUse(facts)) this.#sink.leftover({ subject, facts });
      return;
    }
    if (!isRecord(subject, facts)) {
      // Most nodes without an owner are of no use, unless one follows.
      if (isOfUse(facts) || (!isBlank(subject) && facts.length > 0)) this.#sink.leftover({ subject, facts });
      return;
    }
    const nodes = new Map<string, readonly Fact[]>();
    const { facts: resolved, missing } = resolveNodes(facts, (key) => {
      const own = nodes.get(key) ?? this.#open.get(key);
      if (own === undefined || nodes.has(key)) return own;
      nodes.set(key, isRecord(key, own) ? own : this.#take(key));
      return own;
    });
    const record = recordOf(subject, resolved, this.#rules);
    if (record !== undefined) this.#sink.record(record);
    const left = record === undefined ? facts : missing;
    if (left.length > 0) this.#sink.leftover({ subject, facts: left });
  }

  /** Removes a subject, and returns its facts. */
  #take(subject: string): readonly Fact[] {
    const facts = this.#open.get(subject) ?? [];
    this.#open.delete(subject);
    this.#owners.delete(subject);
    if (subject === this.#last) this.#last = undefined;
    for (const [role, key] of facts) if (role.startsWith('node:')) this.#owners.delete(key);
    return facts;
  }
}
