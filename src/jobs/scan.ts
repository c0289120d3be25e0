import { setImmediate } from 'node:timers/promises';
import { unprocessable } from '../base/errors.ts';
import type { Actor } from '../repository/actor.ts';
import { addMissingJobs, type MissingJob } from './add-jobs.ts';
import { type DerivativeCandidate, findMissing, keyOf, type MissingDerivative } from './find-missing.ts';
import type { JobServices } from './job-planner.ts';
import { findNodeFacts } from './node-facts.ts';
import { unknownAction } from './rules.ts';
import { countMediaOfNode, readScanBatch, type ScanBatch } from './scan-batch.ts';
import {
  addCounts,
  createScanPositions,
  NOTHING_COUNTED,
  type ScanCounts,
  type ScanPosition,
} from './scan-position.ts';

/** The derivatives that a scan checks. */
export interface ScanOptions {
  /** Checks one action only. */
  readonly action?: string | undefined;
  /** Checks one node only. Such a scan stores no position. */
  readonly node?: number | undefined;
  /** True to restart an interrupted scan instead of continuing it. */
  readonly restart?: boolean | undefined;
  /** True to count only. */
  readonly dryRun?: boolean | undefined;
}

/** The progress of a scan. */
export interface ScanProgress extends ScanCounts {
  /** The maximum number of media to scan: some of the ids may have been deleted. */
  readonly total: number;
  readonly isFinished: boolean;
}

/**
 * Finds derivatives that are missing or older than their source, and queues them on behalf of `actor`. Changes no open or
 * failed job. Yields after every batch. A later scan with the same options continues an interrupted one. Throws
 * `unprocessable` for an unknown action or node.
 */
export async function* scan(services: JobServices, actor: Actor, options: ScanOptions): AsyncGenerator<ScanProgress> {
  requireAction(services, options.action);
  yield* options.node === undefined
    ? scanAll(services, actor, options)
    : scanNode(services, actor, options.node, options);
}

async function* scanAll(services: JobServices, actor: Actor, options: ScanOptions): AsyncGenerator<ScanProgress> {
  const { action, dryRun: isDryRun = false } = options;
  const scope = `${isDryRun ? 'count' : 'queue'} ${action ?? ''}`.trimEnd();
  const positions = createScanPositions(services.database, { scope, action, isDryRun }, actor.id);
  await positions.begin(!options.restart);
  let known: ScanPosition | undefined;
  try {
    for (;;) {
      const from = await positions.find();
      if (from === undefined) {
        // Another process with the same scan has finished it.
        const counts = countsOf(known ?? NOTHING_COUNTED);
        yield { ...counts, total: counts.scanned, isFinished: true };
        return;
      }
      const batch = await readScanBatch(services, from, from.position);
      const missing = await findMissing(services, await consider(services, batch, options), scope);
      const isLast = batch.isLast || batch.position >= from.lastId;
      const jobs = isDryRun ? [] : addMissingJobs(jobsOf(services, actor, missing));
      const counts = countOf(batch, missing);
      const counted = missing
        .filter(({ wanted }) => wanted.action.ofMembers)
        .map(({ wanted }) => [wanted.node.id, wanted.action.name] as const);
      known = from;
      if (!(await positions.advance(jobs, { from, to: batch.position, counts, counted, isLast }))) continue;
      known = { ...from, ...addCounts(from, counts), position: batch.position };
      const left = isLast ? 0 : from.lastId - batch.position;
      yield { ...countsOf(known), total: known.scanned + left, isFinished: isLast };
      if (isLast) return;
    }
  } finally {
    await positions.release();
  }
}

async function* scanNode(
  services: JobServices,
  actor: Actor,
  nodeId: number,
  options: ScanOptions,
): AsyncGenerator<ScanProgress> {
  const { database, derivatives } = services;
  const node = await findNodeFacts(database, derivatives.terms, nodeId);
  if (node === undefined) throw unprocessable(`There is no node ${nodeId}.`);
  const withMembers = [...derivatives.rules.actions.values()].some(({ ofMembers }) =>
    ofMembers?.parentTerms.some((uri) => node.terms.has(uri)),
  );
  const range = { nodeId, withMembers };
  const total = await countMediaOfNode(services, range);
  const seen = new Set<string>();
  let counts = NOTHING_COUNTED;
  let position = 0;
  for (let isFinished = false; !isFinished; ) {
    const batch = await readScanBatch(services, range, position);
    const considered = await consider(services, batch, options);
    const ofNode = considered.filter((each) => each.wanted.node.id === nodeId && !seen.has(keyOf(each)));
    const missing = await findMissing(services, ofNode, '');
    for (const each of missing) seen.add(keyOf(each));
    const jobs = options.dryRun ? [] : addMissingJobs(jobsOf(services, actor, missing));
    if (jobs.length > 0) await database.write(jobs);
    counts = addCounts(counts, countOf(batch, missing));
    position = batch.position;
    isFinished = batch.isLast;
    yield { ...counts, total: Math.max(total, counts.scanned), isFinished };
    // Lets other work run, since a dry run never waits for a write.
    await setImmediate();
  }
}

/** Returns the derivatives that the rules require for a batch. */
async function consider(
  { derivatives }: JobServices,
  batch: ScanBatch,
  { action }: ScanOptions,
): Promise<DerivativeCandidate[]> {
  const findNode = async (id: number) => batch.nodes.get(id);
  const considered: DerivativeCandidate[] = [];
  for (const media of batch.sources)
    for (const wanted of await derivatives.findRequired(media, findNode))
      if (action === undefined || wanted.action.name === action) considered.push({ wanted, media });
  return considered;
}

function jobsOf({ derivatives }: JobServices, actor: Actor, missing: readonly MissingDerivative[]): MissingJob[] {
  return missing
    .filter(({ job }) => job === 'none')
    .map(({ wanted, media }) => ({
      job: derivatives.jobOf(actor, wanted),
      mediaId: media.mediaId,
      mediaVersion: media.mediaVersion,
    }));
}

function countOf(batch: ScanBatch, missing: readonly MissingDerivative[]): ScanCounts {
  const count = (state: MissingDerivative['job']) => missing.filter(({ job }) => job === state).length;
  return { scanned: batch.count, queued: count('none'), open: count('open'), failed: count('failed') };
}

function countsOf({ scanned, queued, open, failed }: ScanCounts): ScanCounts {
  return { scanned, queued, open, failed };
}

function requireAction({ derivatives }: JobServices, action: string | undefined): void {
  if (action === undefined || derivatives.rules.actions.has(action)) return;
  throw unprocessable(unknownAction(derivatives.rules, action.slice(0, 100)));
}
