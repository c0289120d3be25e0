import { codeOf } from '../../base/errors.ts';
import { type Package, PackageError } from '../files/package.ts';
import type { LoadContext } from '../table/table-options.ts';
import { checkPackage, type PackageCheck } from './check-package.ts';
import { ImportPlan } from './import-plan.ts';
import type { ImportProblem } from './package-problem.ts';
import { type CreatedCounts, noneCreated, restorePackage } from './restore-package.ts';

/** A package that can be read repeatedly. */
export interface PackageSource {
  /** Its location, for messages. */
  readonly name: string;
  /** Verifies and returns it. Throws PackageError. */
  read(signal: AbortSignal): Promise<Package>;
}

/** Lists the same packages in the same order each time. */
export type ListPackages = () => AsyncIterable<PackageSource>;

export interface ImportProgress {
  readonly phase: 'check' | 'load';
  readonly packages: number;
  /** The number of packages to load; 0 during the check, when it is unknown. */
  readonly total: number;
  /** Bytes of the loaded files. */
  readonly bytes: number;
}

export interface ImportSummary {
  readonly packages: number;
  /** Number of packages that the repository already had completely. */
  readonly present: number;
  readonly created: CreatedCounts;
  /** The files to load according to the check. */
  readonly expected: { readonly files: number; readonly bytes: number };
  readonly problems: readonly ImportProblem[];
  readonly notes: readonly string[];
}

interface ImportOptions {
  /** True if the packages are only checked. */
  readonly isCheckOnly: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ImportProgress) => void;
}

/**
 * Checks all packages, and loads them if none has a problem, in the order of their references. Existing content does not
 * change, so that the same call continues an interrupted import. Rejects with the reason of the signal, and with errors
 * of the stores and the database.
 */
export async function importPackages(
  context: LoadContext,
  list: ListPackages,
  options: ImportOptions,
): Promise<ImportSummary> {
  const plan = await checkAll(context, list, options);
  const problems = plan.problems();
  const created = noneCreated();
  const summary = { packages: plan.packages, present: plan.present, created, expected: plan.expected };
  if (problems.length > 0 || options.isCheckOnly)
    return { ...summary, problems, notes: plan.notes(context.actor.name) };
  const notes = new Set(plan.notes(context.actor.name));
  const failed = await loadAll(context, list, options, { plan, created, notes });
  return { ...summary, problems: failed, notes: [...notes] };
}

async function checkAll(context: LoadContext, list: ListPackages, options: ImportOptions): Promise<ImportPlan> {
  const { signal, onProgress } = options;
  const plan = new ImportPlan();
  for await (const source of list()) {
    signal.throwIfAborted();
    const check = await reading(async (): Promise<PackageCheck> => checkPackage(context, await source.read(signal)));
    if ('message' in check) plan.addUnreadable(source.name, check.message);
    else plan.add(source.name, check);
    onProgress({ phase: 'check', packages: plan.packages, total: 0, bytes: 0 });
  }
  return plan;
}

interface PackageImport {
  readonly plan: ImportPlan;
  readonly created: CreatedCounts;
  readonly notes: Set<string>;
}

async function loadAll(
  context: LoadContext,
  list: ListPackages,
  { signal, onProgress }: ImportOptions,
  { plan, created, notes }: PackageImport,
): Promise<ImportProblem[]> {
  const problems: ImportProblem[] = [];
  const done = new Set<string>();
  let isWaiting = true;
  for (;;) {
    const before = { done: done.size, created: sumOf(created) };
    const waiting: ImportProblem[] = [];
    for await (const source of list()) {
      signal.throwIfAborted();
      const { name } = source;
      if (done.has(name) || !plan.isNew(name)) continue;
      const isExpected = (uuid: string) => isWaiting && plan.brings(uuid);
      const outcome = await reading(async () =>
        restorePackage(context, await source.read(signal), { isExpected, signal }),
      );
      if ('message' in outcome) {
        problems.push({ name, path: '', message: outcome.message });
        done.add(name);
        continue;
      }
      add(created, outcome.created);
      for (const note of outcome.notes) notes.add(`${name}: ${note}`);
      problems.push(...outcome.problems.map((problem) => ({ name, ...problem })));
      if (outcome.waitsFor.length === 0) done.add(name);
      else
        waiting.push({ name, path: '', message: `It refers to ${outcome.waitsFor.join(', ')}, which was not loaded.` });
      onProgress({ phase: 'load', packages: done.size, total: plan.newPackages, bytes: created.bytes });
    }
    if (waiting.length === 0) return problems;
    const isStuck = done.size === before.done && sumOf(created) === before.created;
    // References of earlier revisions are then omitted, so that the rest can be loaded.
    if (isStuck && !isWaiting) return [...problems, ...waiting];
    if (isStuck) isWaiting = false;
  }
}

/** Returns the result of `work`, or the message of its error if the package cannot be read. */
async function reading<T extends object>(work: () => Promise<T>): Promise<T | { readonly message: string }> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PackageError) return { message: error.message };
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'EACCES') return { message: (error as Error).message };
    throw error;
  }
}

function sumOf({ nodes, media, terms, paragraphs, completed }: CreatedCounts): number {
  return nodes + media + terms + paragraphs + completed;
}

function add(sum: CreatedCounts, more: CreatedCounts): void {
  for (const name of ['nodes', 'media', 'terms', 'paragraphs', 'files', 'bytes', 'completed'] as const)
    sum[name] += more[name];
}
