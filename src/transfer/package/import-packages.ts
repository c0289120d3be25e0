import { codeOf } from '../../base/errors.ts';
import { type Package, PackageError } from '../files/package.ts';
import type { LoadContext } from '../table/table-options.ts';
import { checkPackage, type PackageCheck } from './check-package.ts';
import { ImportPlan } from './import-plan.ts';
import type { ImportProblem } from './package-problem.ts';
import { type Made, nothingMade, restorePackage } from './restore-package.ts';

/** A package that can be read whenever it is asked for. */
export interface PackageSource {
  /** For messages: where it is. */
  readonly name: string;
  /** Verifies and answers it. Throws PackageError. */
  read(signal: AbortSignal): Promise<Package>;
}

/** Lists the same packages in the same order each time. */
export type ListPackages = () => AsyncIterable<PackageSource>;

export interface ImportProgress {
  readonly phase: 'check' | 'load';
  readonly packages: number;
  /** Of those to load; 0 as long as they are checked, for then nobody has counted them. */
  readonly total: number;
  /** Of files that were loaded. */
  readonly bytes: number;
}

export interface ImportSummary {
  readonly packages: number;
  /** Packages that were here before as a whole. */
  readonly present: number;
  readonly made: Made;
  /** What is to be made, as far as it was checked: nothing was, where there are problems. */
  readonly expected: { readonly files: number; readonly bytes: number };
  readonly problems: readonly ImportProblem[];
  readonly notes: readonly string[];
}

export interface ImportOptions {
  /** Whether nothing is to be loaded, whatever is found. */
  readonly isCheckOnly: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ImportProgress) => void;
}

/**
 * Checks all packages, and then, if nothing is wrong with any of them, brings them into the repository: those that wait
 * for others after these. What is here already stays as it is, so that the same import goes on where it was broken off.
 * Rejects with the reason of the signal, and with what a store or the database throws.
 */
export async function importPackages(
  context: LoadContext,
  list: ListPackages,
  options: ImportOptions,
): Promise<ImportSummary> {
  const plan = await checkAll(context, list, options);
  const problems = plan.problems();
  const made = nothingMade();
  const summary = { packages: plan.packages, present: plan.present, made, expected: plan.expected };
  if (problems.length > 0 || options.isCheckOnly)
    return { ...summary, problems, notes: plan.notes(context.actor.name) };
  const notes = new Set(plan.notes(context.actor.name));
  const failed = await loadAll(context, list, options, { plan, made, notes });
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

interface Loading {
  readonly plan: ImportPlan;
  readonly made: Made;
  readonly notes: Set<string>;
}

async function loadAll(
  context: LoadContext,
  list: ListPackages,
  { signal, onProgress }: ImportOptions,
  { plan, made, notes }: Loading,
): Promise<ImportProblem[]> {
  const problems: ImportProblem[] = [];
  const done = new Set<string>();
  let isPatient = true;
  for (;;) {
    const before = { done: done.size, made: sumOf(made) };
    const waiting: ImportProblem[] = [];
    for await (const source of list()) {
      signal.throwIfAborted();
      const { name } = source;
      if (done.has(name) || !plan.isNew(name)) continue;
      const isExpected = (uuid: string) => isPatient && plan.brings(uuid);
      const outcome = await reading(async () =>
        restorePackage(context, await source.read(signal), { isExpected, signal }),
      );
      if ('message' in outcome) {
        problems.push({ name, path: '', message: outcome.message });
        done.add(name);
        continue;
      }
      add(made, outcome.made);
      for (const note of outcome.notes) notes.add(`${name}: ${note}`);
      problems.push(...outcome.problems.map((problem) => ({ name, ...problem })));
      if (outcome.waitsFor.length === 0) done.add(name);
      else
        waiting.push({ name, path: '', message: `It waits for ${outcome.waitsFor.join(', ')}, which did not come.` });
      onProgress({ phase: 'load', packages: done.size, total: plan.newPackages, bytes: made.bytes });
    }
    if (waiting.length === 0) return problems;
    const isStuck = done.size === before.done && sumOf(made) === before.made;
    // What only earlier revisions refer to is done without, rather than nothing at all.
    if (isStuck && !isPatient) return [...problems, ...waiting];
    if (isStuck) isPatient = false;
  }
}

/** What is wrong with a package that cannot be read, instead of what reading it for would have answered. */
async function reading<T extends object>(work: () => Promise<T>): Promise<T | { readonly message: string }> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof PackageError) return { message: error.message };
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'EACCES') return { message: (error as Error).message };
    throw error;
  }
}

function sumOf({ nodes, media, terms, paragraphs, completed }: Made): number {
  return nodes + media + terms + paragraphs + completed;
}

function add(sum: Made, more: Made): void {
  for (const name of ['nodes', 'media', 'terms', 'paragraphs', 'files', 'bytes', 'completed'] as const)
    sum[name] += more[name];
}
