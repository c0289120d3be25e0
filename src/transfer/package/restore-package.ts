import { ServiceError } from '../../base/errors.ts';
import { failedGuard, failedUniqueness } from '../../database/errors.ts';
import type { Services } from '../../repository/content/services.ts';
import { type Package, PackageError } from '../files/package.ts';
import type { LoadContext } from '../table/table-options.ts';
import { mayComeBefore, type Need, needsOf } from './entity-needs.ts';
import type { Here } from './existing.ts';
import { type FileFacts, fileFacts } from './file-facts.ts';
import { clashes, lookAround, newIn, noteRevisions } from './find-existing.ts';
import { type PackageProblem, PackageRefused } from './package-problem.ts';
import { asProblems } from './prepare-revision.ts';
import { type PackageContents, type PackedBytes, type PackedEntity, readPackage, referredBy } from './read-package.ts';
import { completeNode, restoreEntity } from './restore-entity.ts';

/** How often a package is looked at anew because someone else makes the same things, and no more of it is here than before. */
const MAX_ATTEMPTS = 5;

/** How much of something was made. */
export interface Made {
  nodes: number;
  media: number;
  terms: number;
  paragraphs: number;
  files: number;
  bytes: number;
  /** Nodes that were made before and have all of their references now. */
  completed: number;
}

/** Nothing yet. */
export function nothingMade(): Made {
  return { nodes: 0, media: 0, terms: 0, paragraphs: 0, files: 0, bytes: 0, completed: 0 };
}

/** What came of a package. */
export interface PackageOutcome {
  readonly made: Made;
  readonly problems: readonly PackageProblem[];
  /** What is left of it waits for these UUIDs; empty for a package that is here as a whole. */
  readonly waitsFor: readonly string[];
  /** What a librarian should know: what was left out. */
  readonly notes: readonly string[];
}

export interface RestoreOptions {
  /** Whether something with this UUID may still come: then it is waited for. */
  readonly isExpected?: (uuid: string) => boolean;
  readonly signal?: AbortSignal;
}

/**
 * Brings a package into the repository: what is there already, by UUID, stays as it is, and the rest is made, each thing
 * with its history in a transaction of its own. To be called again for one that waits, or was broken off. Throws what reading the
 * package or a store throws.
 */
export async function restorePackage(
  context: LoadContext,
  packed: Package,
  { isExpected = () => false, signal = new AbortController().signal }: RestoreOptions = {},
): Promise<PackageOutcome> {
  const contents = await readPackage(context.kinds, packed);
  const made = nothingMade();
  const restoring: Restoring = { context, contents, made, isExpected, signal, missing: Number.POSITIVE_INFINITY };
  for (let attempt = 1; ; attempt++) {
    const before = restoring.missing;
    try {
      return await restore(restoring);
    } catch (error) {
      if (error instanceof PackageRefused) return refused(made, ...error.problems);
      if (!isTaken(error)) throw error;
      // Whoever is second with each of many things gets to the end with the one who is first.
      if (restoring.missing < before) attempt = 1;
      if (attempt === MAX_ATTEMPTS) return refused(made, ...asProblems((error as Error).message));
    }
  }
}

interface Restoring {
  readonly context: LoadContext;
  readonly contents: PackageContents;
  readonly made: Made;
  readonly isExpected: (uuid: string) => boolean;
  readonly signal: AbortSignal;
  /** How much of the package was not here when it was looked for last. */
  missing: number;
}

async function restore(restoring: Restoring): Promise<PackageOutcome> {
  const { context, contents, made, isExpected, signal } = restoring;
  const { services, kinds } = context;
  if (contents.problems.length > 0) return refused(made, ...contents.problems);
  const here = await lookAround(services, contents);
  let waiting = newIn(contents, here);
  const problems = clashes(kinds, contents, waiting, here);
  if (problems.length > 0) return refused(made, ...problems);
  const notes = new Set<string>();
  const incomplete = new Set(here.incomplete.all);
  restoring.missing = waiting.length;
  const mayCome = (uuid: string) => isExpected(uuid) || waiting.some((entity) => entity.uuid === uuid);
  for (let count = -1; count !== waiting.length; ) {
    count = waiting.length;
    for (const entity of waiting) {
      signal.throwIfAborted();
      const needs = needsOf(context, entity, here).filter(
        ({ type, uuid }) => type !== 'file' || !contents.files.has(uuid),
      );
      if (!needs.every((need) => mayComeBefore(need, mayCome))) continue;
      const isIncomplete = needs.some(({ uuid }) => mayCome(uuid));
      await restoreOne(restoring, entity, here, isIncomplete);
      if (isIncomplete) incomplete.add(entity.uuid);
      for (const need of needs) if (!mayCome(need.uuid)) notes.add(leftOut(entity, need));
    }
    waiting = waiting.filter(({ type, uuid }) => here.get(type, uuid) === undefined);
  }
  const waitsFor = new Set(waiting.flatMap((entity) => needsOf(context, entity, here).map(({ uuid }) => uuid)));
  for (const entity of contents.entities.filter(({ uuid }) => incomplete.has(uuid))) {
    const late = needsOf(context, entity, here).filter(({ uuid }) => mayCome(uuid));
    for (const { uuid } of late) waitsFor.add(uuid);
    const known = here.get('node', entity.uuid);
    if (late.length > 0 || known === undefined) continue;
    if (await completeNode(context, entity, known, here)) made.completed += 1;
    else notes.add(`${entity.path} was changed here before all that it refers to had come: it stays as it is.`);
  }
  return { made, problems: [], waitsFor: [...waitsFor], notes: [...notes] };
}

async function restoreOne(
  { context, contents, made, signal }: Restoring,
  entity: PackedEntity,
  here: Here,
  isIncomplete: boolean,
): Promise<void> {
  const facts: FileFacts[] = [];
  for (const uuid of referredBy(entity)) {
    const packed = contents.files.get(uuid);
    if (packed && !here.get('file', uuid)) facts.push(requireFileFacts(context.services, packed));
  }
  const restored = await restoreEntity(context, entity, facts, here, isIncomplete, signal);
  here.set(entity.uuid, restored.entity);
  if (entity.type === 'taxonomy_term') here.termsUntil = restored.entity.id;
  await noteRevisions(context.services, [entity], here);
  made[COUNTED[entity.type]] += 1;
  for (const file of restored.files) here.set(file.uuid, file);
  made.files += facts.length;
  for (const { filesize } of facts) made.bytes += filesize;
}

function requireFileFacts(services: Services, packed: PackedBytes): FileFacts {
  const found = fileFacts(services, packed);
  if (Array.isArray(found)) throw new PackageRefused(...found);
  return found as FileFacts;
}

const COUNTED = { node: 'nodes', media: 'media', taxonomy_term: 'terms', paragraph: 'paragraphs' } as const;

/** What something refers to and nobody has, as a sentence. */
export function leftOut({ path }: PackedEntity, { at, type, uuid, isFormer }: Need): string {
  const who = isFormer ? `An earlier revision of ${path}` : path;
  return `${who} refers to ${type} ${uuid} in ${at}, which is not here: the reference is left out.`;
}

function refused(made: Made, ...problems: PackageProblem[]): PackageOutcome {
  return { made, problems, waitsFor: [], notes: [] };
}

/** Whether someone else has made the same, or took its place, since it was looked for. */
function isTaken(error: unknown): boolean {
  if (error instanceof PackageError) return false;
  if (failedGuard(error) === 'guard_taken' || failedUniqueness(error) === 'file.uuid') return true;
  return error instanceof ServiceError && error.kind === 'unprocessable';
}
