import { ServiceError } from '../../base/errors.ts';
import { failedGuard, failedUniqueness } from '../../database/errors.ts';
import type { Services } from '../../repository/content/services.ts';
import { type Package, PackageError } from '../files/package.ts';
import type { LoadContext } from '../table/table-options.ts';
import { canPrecede, type Need, needsOf } from './entity-needs.ts';
import type { ExistingEntities } from './existing.ts';
import { type FileFacts, fileFacts } from './file-facts.ts';
import { conflicts, findExisting, findNew, matchRevisions } from './find-existing.ts';
import { type PackageProblem, PackageRefused } from './package-problem.ts';
import { asProblems } from './prepare-revision.ts';
import { type PackageContents, type PackedBytes, type PackedEntity, readPackage, referredBy } from './read-package.ts';
import { completeNode, restoreEntity } from './restore-entity.ts';

/** Maximum number of attempts without progress while other processes create the same entities. */
const MAX_ATTEMPTS = 5;

/** The number of created entities. */
export interface CreatedCounts {
  nodes: number;
  media: number;
  terms: number;
  paragraphs: number;
  files: number;
  bytes: number;
  /** Nodes of earlier imports that got their missing references. */
  completed: number;
}

export function noneCreated(): CreatedCounts {
  return { nodes: 0, media: 0, terms: 0, paragraphs: 0, files: 0, bytes: 0, completed: 0 };
}

/** The result of restoring a package. */
interface PackageOutcome {
  readonly created: CreatedCounts;
  readonly problems: readonly PackageProblem[];
  /** The UUIDs of missing targets; empty for a package that is complete in the repository. */
  readonly waitsFor: readonly string[];
  /** Sentences about omitted references. */
  readonly notes: readonly string[];
}

interface RestoreOptions {
  /** Returns true if an entity with this UUID may still be loaded, so that references to it wait. */
  readonly isExpected?: (uuid: string) => boolean;
  readonly signal?: AbortSignal;
}

/**
 * Adds the entities of a package that the repository lacks, each with its history in its own transaction. Existing
 * entities do not change. Call it again for a package that waits or was interrupted. Throws the errors of reading the
 * package, and of stores.
 */
export async function restorePackage(
  context: LoadContext,
  packed: Package,
  { isExpected = () => false, signal = new AbortController().signal }: RestoreOptions = {},
): Promise<PackageOutcome> {
  const contents = await readPackage(context.kinds, packed);
  const created = noneCreated();
  const restoring: RestoreContext = {
    context,
    contents,
    created,
    isExpected,
    signal,
    missing: Number.POSITIVE_INFINITY,
  };
  for (let attempt = 1; ; attempt++) {
    const before = restoring.missing;
    try {
      return await restore(restoring);
    } catch (error) {
      if (error instanceof PackageRefused) return refused(created, ...error.problems);
      if (!isTaken(error)) throw error;
      // Progress of another process counts: attempts are limited only without progress.
      if (restoring.missing < before) attempt = 1;
      if (attempt === MAX_ATTEMPTS) return refused(created, ...asProblems((error as Error).message));
    }
  }
}

interface RestoreContext {
  readonly context: LoadContext;
  readonly contents: PackageContents;
  readonly created: CreatedCounts;
  readonly isExpected: (uuid: string) => boolean;
  readonly signal: AbortSignal;
  /** Number of entities that the repository lacked at the last search. */
  missing: number;
}

async function restore(restoring: RestoreContext): Promise<PackageOutcome> {
  const { context, contents, created, isExpected, signal } = restoring;
  const { services, kinds } = context;
  if (contents.problems.length > 0) return refused(created, ...contents.problems);
  const existing = await findExisting(services, contents);
  let waiting = findNew(contents, existing);
  const problems = conflicts(kinds, contents, waiting, existing);
  if (problems.length > 0) return refused(created, ...problems);
  const notes = new Set<string>();
  const incomplete = new Set(existing.incomplete.all);
  restoring.missing = waiting.length;
  const mayCome = (uuid: string) => isExpected(uuid) || waiting.some((entity) => entity.uuid === uuid);
  for (let count = -1; count !== waiting.length; ) {
    count = waiting.length;
    for (const entity of waiting) {
      signal.throwIfAborted();
      const needs = needsOf(context, entity, existing).filter(
        ({ type, uuid }) => type !== 'file' || !contents.files.has(uuid),
      );
      if (!needs.every((need) => canPrecede(need, mayCome))) continue;
      const isIncomplete = needs.some(({ uuid }) => mayCome(uuid));
      await restoreOne(restoring, entity, existing, isIncomplete);
      if (isIncomplete) incomplete.add(entity.uuid);
      for (const need of needs) if (!mayCome(need.uuid)) notes.add(omittedReference(entity, need));
    }
    waiting = waiting.filter(({ type, uuid }) => existing.get(type, uuid) === undefined);
  }
  const waitsFor = new Set(waiting.flatMap((entity) => needsOf(context, entity, existing).map(({ uuid }) => uuid)));
  for (const entity of contents.entities.filter(({ uuid }) => incomplete.has(uuid))) {
    const late = needsOf(context, entity, existing).filter(({ uuid }) => mayCome(uuid));
    for (const { uuid } of late) waitsFor.add(uuid);
    const known = existing.get('node', entity.uuid);
    if (late.length > 0 || known === undefined) continue;
    if (await completeNode(context, entity, known, existing)) created.completed += 1;
    else notes.add(`${entity.path} was changed before all of its references could be added: it keeps that state.`);
  }
  return { created, problems: [], waitsFor: [...waitsFor], notes: [...notes] };
}

async function restoreOne(
  { context, contents, created, signal }: RestoreContext,
  entity: PackedEntity,
  existing: ExistingEntities,
  isIncomplete: boolean,
): Promise<void> {
  const facts: FileFacts[] = [];
  for (const uuid of referredBy(entity)) {
    const packed = contents.files.get(uuid);
    if (packed && !existing.get('file', uuid)) facts.push(requireFileFacts(context.services, packed));
  }
  const restored = await restoreEntity(context, entity, facts, existing, isIncomplete, signal);
  existing.set(entity.uuid, restored.entity);
  if (entity.type === 'taxonomy_term') existing.termsUntil = restored.entity.id;
  await matchRevisions(context.services, [entity], existing);
  created[COUNTED[entity.type]] += 1;
  for (const file of restored.files) existing.set(file.uuid, file);
  created.files += facts.length;
  for (const { filesize } of facts) created.bytes += filesize;
}

function requireFileFacts(services: Services, packed: PackedBytes): FileFacts {
  const facts = fileFacts(services, packed);
  if (Array.isArray(facts)) throw new PackageRefused(...facts);
  return facts as FileFacts;
}

const COUNTED = { node: 'nodes', media: 'media', taxonomy_term: 'terms', paragraph: 'paragraphs' } as const;

/** Returns the sentence about a reference that is omitted because its target does not exist. */
export function omittedReference({ path }: PackedEntity, { at, type, uuid, isFormer }: Need): string {
  const who = isFormer ? `An earlier revision of ${path}` : path;
  return `${who} refers to ${type} ${uuid} in ${at}, which does not exist: the reference is omitted.`;
}

function refused(created: CreatedCounts, ...problems: PackageProblem[]): PackageOutcome {
  return { created, problems, waitsFor: [], notes: [] };
}

/** Returns true if another process has created the entity, or taken its alias, since the search. */
function isTaken(error: unknown): boolean {
  if (error instanceof PackageError) return false;
  if (failedGuard(error) === 'guard_taken' || failedUniqueness(error) === 'file.uuid') return true;
  return error instanceof ServiceError && error.kind === 'unprocessable';
}
