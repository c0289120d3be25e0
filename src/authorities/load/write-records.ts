import type { Database } from '../../database/database.ts';
import type { Statement } from '../../database/statement.ts';
import { type AuthorityRecord, namesOf } from '../authority-record.ts';
import {
  deleteRecords,
  findByUris,
  findLeftovers,
  findLeftSubjects,
  insertLeftovers,
  insertRecords,
  type NumberedRecord,
  recordId,
  type StoredRecord,
  toRecord,
} from '../list-statements.ts';
import { type Fact, factsOf, isRecord, type RecordRules, recordOf, resolveNodes } from './facts.ts';
import type { Leftover } from './gather-records.ts';

/** Records and leftovers of one transaction: other writes wait for it. */
const BATCH = 1_000;
/** Nodes behind nodes whose leftovers are read. */
const MAX_DEPTH = 3;

interface WrittenFacts {
  readonly records: number;
  readonly names: number;
}

/** Writes the records of a list as they come. */
export class RecordWriter {
  readonly #database: Database;
  readonly #listId: number;
  /** Writes statements, unless another process has taken over. */
  readonly #write: (statements: readonly Statement[]) => Promise<void>;
  #records = new Map<string, AuthorityRecord>();
  #leftovers: { subject: string; facts: string }[] = [];
  #lastNumber = 0;
  #counts = { records: 0, names: 0 };
  #firstUri: string | undefined;

  constructor(database: Database, listId: number, write: (statements: readonly Statement[]) => Promise<void>) {
    this.#database = database;
    this.#listId = listId;
    this.#write = write;
  }

  get written(): WrittenFacts {
    return this.#counts;
  }

  /** The URI of the first record. */
  get firstUri(): string | undefined {
    return this.#firstUri;
  }

  /** True if a batch is complete, so that `flush` should be called. */
  get isFull(): boolean {
    return this.#records.size >= BATCH || this.#leftovers.length >= BATCH;
  }

  readonly record = (record: AuthorityRecord): void => {
    this.#firstUri ??= record.uri;
    // The second of two parts of a record joins the first one at the end.
    if (this.#records.has(record.uri)) this.leftover({ subject: record.uri, facts: factsOf(record) });
    else this.#records.set(record.uri, record);
  };

  readonly leftover = ({ subject, facts }: Leftover): void => {
    this.#leftovers.push({ subject, facts: JSON.stringify(facts) });
  };

  /** Writes what has come. */
  async flush(): Promise<void> {
    const uris = JSON.stringify([...this.#records.keys()]);
    const known = await this.#database.all(findByUris({ listId: this.#listId, uris }));
    for (const { uri } of known) {
      const again = this.#records.get(uri);
      this.#records.delete(uri);
      if (again !== undefined) this.leftover({ subject: uri, facts: factsOf(again) });
    }
    const records = [...this.#records.values()].map((record) => this.#number(record));
    const leftovers = this.#leftovers;
    this.#records = new Map();
    this.#leftovers = [];
    const statements = [
      ...(records.length > 0 ? insertRecords(this.#listId, records) : []),
      ...(leftovers.length > 0 ? [insertLeftovers(this.#listId, leftovers)] : []),
    ];
    if (statements.length > 0) await this.#write(statements);
  }

  #number(record: AuthorityRecord): NumberedRecord {
    this.#lastNumber += 1;
    this.#counts = { records: this.#counts.records + 1, names: this.#counts.names + namesOf(record).length };
    return { ...record, id: recordId(this.#listId, this.#lastNumber) };
  }

  /** Adds the leftovers to their records. `onStep` is called before each transaction. */
  async addLeftovers(rules: RecordRules, onStep: () => Promise<void>): Promise<void> {
    for (let after = ''; ; ) {
      await onStep();
      const ofList = { listId: this.#listId };
      const subjects = await this.#database.all(findLeftSubjects({ ...ofList, after, limit: BATCH }));
      const last = subjects.at(-1);
      if (last === undefined) return;
      after = last.subject;
      await this.#addLeft(
        subjects.map(({ subject }) => subject),
        rules,
      );
    }
  }

  async #addLeft(subjects: readonly string[], rules: RecordRules): Promise<void> {
    const facts = await this.#factsOf(subjects);
    const nodes = await this.#nodesOf(facts);
    const stored = await this.#database.all(findByUris({ listId: this.#listId, uris: JSON.stringify(subjects) }));
    const known = new Map(stored.map((row) => [row.uri, toRecord(row)]));
    const changed: AuthorityRecord[] = [];
    const replaced: StoredRecord[] = [];
    for (const subject of subjects) {
      const before = known.get(subject);
      // The kind that is known now may be a default.
      const all = [...(facts.get(subject) ?? []), ...(before === undefined ? [] : factsOf(before))];
      if (!isRecord(subject, all)) continue;
      const record = recordOf(subject, resolveNodes(all, (key) => nodes.get(key)).facts, rules);
      if (record !== undefined) changed.push(record);
      if (before !== undefined) replaced.push(before);
    }
    for (const record of replaced)
      this.#counts = { records: this.#counts.records - 1, names: this.#counts.names - namesOf(record).length };
    const statements = [
      ...(replaced.length > 0
        ? deleteRecords(
            this.#listId,
            replaced.map(({ id }) => id),
          )
        : []),
      ...(changed.length > 0
        ? insertRecords(
            this.#listId,
            changed.map((record) => this.#number(record)),
          )
        : []),
    ];
    if (statements.length > 0) await this.#write(statements);
  }

  async #factsOf(subjects: readonly string[]): Promise<Map<string, Fact[]>> {
    const facts = new Map<string, Fact[]>();
    if (subjects.length === 0) return facts;
    const rows = await this.#database.all(findLeftovers({ listId: this.#listId, subjects: JSON.stringify(subjects) }));
    for (const row of rows) facts.set(row.subject, [...(facts.get(row.subject) ?? []), ...JSON.parse(row.facts)]);
    return facts;
  }

  /** Returns the facts of the nodes to which facts refer. */
  async #nodesOf(owners: ReadonlyMap<string, readonly Fact[]>): Promise<Map<string, readonly Fact[]>> {
    const nodes = new Map<string, readonly Fact[]>();
    let level: Iterable<readonly Fact[]> = owners.values();
    for (let depth = 0; depth < MAX_DEPTH; depth++) {
      const keys = new Set<string>();
      for (const facts of level)
        for (const [role, key] of facts) if (role.startsWith('node:') && !nodes.has(key)) keys.add(key);
      if (keys.size === 0) break;
      const found = await this.#factsOf([...keys]);
      for (const [key, facts] of found) nodes.set(key, facts);
      level = found.values();
    }
    return nodes;
  }
}
