import { setImmediate } from 'node:timers/promises';
import { and, isNotNull, isNull, notExists, type SQL, sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { terms } from '../../database/schema/content.ts';
import { runs } from '../../database/schema/runs.ts';
import { type Named, plain, prepare, statementOf } from '../../database/statement.ts';
import type { Work } from '../../runs/keep-working.ts';
import { createRunTask } from '../../runs/run-task.ts';
import { type HeldRun, runsOf } from '../../runs/runs.ts';
import type { Actor } from '../actor.ts';
import type { Services } from '../content/services.ts';
import { SimilarNames, type SimilarPair } from './similar-names.ts';

/** The interval at which a server looks for reports that another process began, in milliseconds. */
const LOOK_MS = 60_000;
/** The number of names of one query. */
const BATCH = 2_000;

interface Subject {
  /** The machine name of the vocabulary. */
  readonly vocabulary: string;
}

/** Runs that compare the names of the terms of a vocabulary. The progress is the number of names. */
export const similarRuns = runsOf<Subject, number, readonly SimilarPair[]>('similar', 'report of similar terms');

const isOfVocabulary = (vocabulary: string): SQL => sql`${runs.about} ->> '$.vocabulary' = ${vocabulary}`;

/** Returns the last report of a vocabulary; undefined if there is none. It may not have ended. */
export function findSimilarReport(database: Database, vocabulary: string) {
  return similarRuns.find(database, isOfVocabulary(vocabulary));
}

/** Begins a new report of a vocabulary, which replaces the last one, unless one is being made. */
export async function startSimilarReport(
  { database, reports }: Services,
  actor: Pick<Actor, 'id'>,
  vocabulary: string,
): Promise<void> {
  const isOf = and(similarRuns.isOfKind, isOfVocabulary(vocabulary));
  const open = query
    .select({ id: runs.id })
    .from(runs)
    .where(and(isOf, isNull(runs.endedAt)));
  await database.write([
    statementOf(query.delete(runs).where(and(isOf, isNotNull(runs.endedAt)))),
    similarRuns.add({ about: { vocabulary }, userId: actor.id, where: notExists(open) }),
  ]);
  reports.wake();
}

interface Place {
  readonly folded: string;
  readonly id: number;
}

const nextNames = prepare(({ vocabulary, folded, id, limit }: Named<Subject & Place & { limit: number }>) =>
  plain(
    sql`SELECT ${terms.id}, ${terms.label}, ${terms.foldedLabel} FROM ${terms}
      WHERE ${terms.bundle} = ${vocabulary} AND (${terms.foldedLabel}, ${terms.id}) > (${folded}, ${id})
      ORDER BY ${terms.foldedLabel}, ${terms.id} LIMIT ${limit}`,
    { id: terms.id, label: terms.label, folded: terms.foldedLabel },
  ),
);

/** The task that makes the reports, each from the beginning: an interrupted one has no result. */
export function createSimilarTask({ services }: { readonly services: Services }): Work {
  return createRunTask(services.database, similarRuns, {
    failure: 'reports of similar terms cannot be made at present',
    lookMs: LOOK_MS,
    waker: services.reports,
    work: (run, signal) => makeReport(services.database, run, signal),
  });
}

async function makeReport(
  database: Database,
  run: HeldRun<Subject, number, readonly SimilarPair[]>,
  signal: AbortSignal,
): Promise<void> {
  const { vocabulary } = run.about;
  const names = new SimilarNames();
  let count = 0;
  for (let place: Place | undefined = { folded: '', id: 0 }; place !== undefined; ) {
    if (signal.aborted) return;
    const rows: { id: number; label: string; folded: string | null }[] = await database.all(
      nextNames({ vocabulary, ...place, limit: BATCH }),
    );
    for (const row of rows) names.add(row);
    count += rows.length;
    const last = rows.at(-1);
    place = last && { folded: last.folded ?? '', id: last.id };
    await similarRuns.change(database, run, { progress: count });
  }
  const failure = Promise.withResolvers<never>();
  const stop = similarRuns.keepRenewing(database, run, failure.reject);
  try {
    const result = await Promise.race([names.pairs(() => setImmediate()), failure.promise]);
    await similarRuns.settle(database, run, { state: 'done', result });
  } finally {
    stop();
  }
}
