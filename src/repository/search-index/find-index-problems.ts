import { setImmediate } from 'node:timers/promises';
import { and, eq, getTableName, gt, not, sql } from 'drizzle-orm';
import { checkIntegrity, fileOfDatabase } from '../../database/check-integrity.ts';
import { isDamaged, messageOfDamage } from '../../database/damage.ts';
import { query } from '../../database/query-builder.ts';
import { nodes } from '../../database/schema/content.ts';
import { nodeRecords, searchPending, searchTexts } from '../../database/schema/search.ts';
import { isAmong } from '../../database/sql.ts';
import { master } from '../../database/sqlite-tables.ts';
import { type Named, plain, prepare, statementOf } from '../../database/statement.ts';
import { wordsOfTitles } from '../title-words.ts';
import type { EntryRecord } from './index-entry.ts';
import { entryOfSource } from './index-node.ts';
import { readIndexState } from './index-state.ts';
import { needsBuild } from './needs-build.ts';
import { readIndexSources } from './read-index-sources.ts';
import type { SearchServices } from './search-services.ts';
import { createScratchIndex, differingNodes, openWords, type ScratchIndex } from './word-places.ts';

/** A problem of the search index. */
export interface IndexProblem {
  /** The row with the problem, such as `search_text 12`. */
  readonly subject: string;
  readonly detail: string;
}

/** Number of nodes that are read together. */
const SLICE = 100;
/** Maximum number of nodes that a check names. */
const MAX_NAMED = 100;
const REPAIR = 'Build the search index again with: repo search reindex';

/**
 * Finds damage of the search index: of its structure, missing rows, and rows and words that differ from those that the
 * stored content yields. Servers may write at the same time. An index that is to be built is not compared. Words are
 * compared in a database file only.
 */
export async function* findIndexProblems(services: SearchServices, signal: AbortSignal): AsyncGenerator<IndexProblem> {
  const { database } = services;
  const broken = await findBrokenStructure(services);
  if (broken !== undefined) return yield { subject: 'search_text', detail: `${broken}. ${REPAIR}` };
  if (needsBuild(services, await readIndexState(database))) return;
  const start = await readSequence(services);
  const suspects = new Map<number, string>();
  const suspect = (nid: number, problem: string) => {
    if (suspects.size < MAX_SUSPECTS && !suspects.has(nid)) suspects.set(nid, problem);
  };
  for (const nid of await findWithoutTexts(services)) suspect(nid, 'its row in the full-text index is missing');
  try {
    await compareAll(services, suspect, signal);
  } catch (error) {
    if (!isDamaged(error)) throw error;
    return yield { subject: 'search_text', detail: `${messageOfDamage(error)}. ${REPAIR}` };
  }
  const settled = await findSettled(services, [...suspects.keys()], start);
  const problems = [...suspects].filter(([nid]) => settled.has(nid));
  for (const [nid, problem] of problems.slice(0, MAX_NAMED))
    yield { subject: nid === 0 ? 'search_text' : `search_text ${nid}`, detail: `${problem}. ${REPAIR}` };
  if (problems.length > MAX_NAMED)
    yield { subject: 'search_text', detail: `${problems.length - MAX_NAMED} more rows differ. ${REPAIR}` };
}

/** Maximum number of nodes that are remembered. */
const MAX_SUSPECTS = 10_000;

/** Returns the first problem of the structure of the full-text index. */
async function findBrokenStructure({ database }: SearchServices): Promise<string | undefined> {
  const lines = await checkIntegrity(database, getTableName(searchTexts));
  if (lines !== undefined) return lines[0];
  const name = sql.identifier(getTableName(searchTexts));
  try {
    await database.write([statementOf(plain(sql`INSERT INTO ${searchTexts} (${name}) VALUES ('integrity-check')`))]);
    return undefined;
  } catch (error) {
    if (!isDamaged(error)) throw error;
    return messageOfDamage(error);
  }
}

const { nid, sequence, isDeleted } = nodeRecords;

async function readSequence({ database }: SearchServices): Promise<number> {
  database.refresh();
  const last = sql<number>`coalesce(max(${sequence}), 0)`;
  return (await database.get(statementOf(query.select({ last }).from(nodeRecords))))?.last ?? 0;
}

/** Returns nodes without a record or without a row of texts. */
async function findWithoutTexts({ database }: SearchServices): Promise<number[]> {
  const sizes = sql.identifier('search_text_docsize');
  const without = plain(
    sql`SELECT ${nodes.id} FROM ${nodes} WHERE NOT EXISTS (SELECT 1 FROM ${nodeRecords} WHERE ${nid} = ${nodes.id})
        OR NOT EXISTS (SELECT 1 FROM ${sizes} s WHERE s.id = ${nodes.id}) LIMIT ${MAX_SUSPECTS}`,
    { id: nodes.id },
  );
  return (await database.all(statementOf(without))).map(({ id }) => id);
}

const findNext = prepare(({ after }: Named<{ after: number }>) =>
  query.select({ id: nodes.id }).from(nodes).where(gt(nodes.id, after)).orderBy(nodes.id).limit(SLICE),
);
const findRecords = prepare(({ ids }: Named<{ ids: string }>) =>
  query
    .select()
    .from(nodeRecords)
    .where(and(isAmong(nid, ids), not(isDeleted))),
);

type Suspect = (nid: number, problem: string) => void;

/** Compares the rows and words of all nodes with those that their content yields. */
async function compareAll(services: SearchServices, suspect: Suspect, signal: AbortSignal): Promise<void> {
  const { database } = services;
  const file = await fileOfDatabase(database);
  const words = file === undefined ? undefined : openWords(file);
  const scratch = words && (await createScratchIndex(await definitionOf(services)));
  try {
    for (let after = 0; ; ) {
      await setImmediate();
      signal.throwIfAborted();
      const ids = (await database.all(findNext({ after }))).map(({ id }) => id);
      if (ids.length === 0) break;
      await compareSlice(services, ids, scratch, suspect);
      after = ids.at(-1) as number;
    }
    if (words === undefined || scratch === undefined) return;
    if (!(await words.hasConsistentSizes())) suspect(0, 'its averages do not include the sizes of its rows');
    for (const id of differingNodes(words, scratch)) {
      if (id !== undefined) suspect(id, 'its words in the full-text index are not those of its content');
      else await setImmediate();
      signal.throwIfAborted();
    }
  } finally {
    words?.close();
    await scratch?.remove();
  }
}

async function compareSlice(
  services: SearchServices,
  ids: readonly number[],
  scratch: ScratchIndex | undefined,
  suspect: Suspect,
): Promise<void> {
  const terms = await services.search.uses.find();
  const sources = await readIndexSources(services, ids);
  const records = await services.database.all(findRecords({ ids: JSON.stringify(ids) }));
  const recordOf = new Map(records.map((record) => [record.nid, record]));
  const wordsOf = Map.groupBy(await services.database.all(wordsOfTitles(ids)), (row) => row.nid);
  for (const [id, source] of sources) {
    if (source.node === undefined) continue;
    try {
      const entry = await entryOfSource(services, source.node(), source, terms);
      scratch?.add(id, entry.texts);
      const stored = recordOf.get(id);
      const differing = stored && differingColumn(entry.record, stored);
      const words = wordsOf.get(id)?.map(({ key }) => key) ?? [];
      if (!Bun.deepEquals(words, entry.titleWords))
        suspect(id, 'its rows in search_title_word are not those of its title');
      if (differing !== undefined) suspect(id, `its column ${differing} in node_record is not that of its content`);
    } catch (error) {
      // Its content is damaged, which the check of its revision reports.
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
}

function differingColumn(expected: EntryRecord, stored: EntryRecord): string | undefined {
  return (Object.keys(expected) as (keyof EntryRecord)[]).find((column) =>
    column === 'facets' ? !expected.facets.equals(stored.facets) : expected[column] !== stored[column],
  );
}

/** Returns the nodes that no process has changed since the check began. */
async function findSettled({ database }: SearchServices, ids: readonly number[], start: number): Promise<Set<number>> {
  const list = JSON.stringify(ids);
  database.refresh();
  const { changed, pending } = await database.read({
    changed: statementOf(
      query
        .select({ nid })
        .from(nodeRecords)
        .where(and(isAmong(nid, list), gt(sequence, start))),
    ),
    pending: statementOf(
      query.select({ nid: searchPending.nid }).from(searchPending).where(isAmong(searchPending.nid, list)),
    ),
  });
  const moving = new Set([...changed, ...pending].map((row) => row.nid));
  return new Set(ids.filter((id) => !moving.has(id)));
}

async function definitionOf({ database }: SearchServices): Promise<string> {
  const find = query
    .select({ definition: master.sql })
    .from(master)
    .where(eq(master.name, getTableName(searchTexts)));
  return String((await database.get(statementOf(find)))?.definition);
}
