import type { EntityType } from '../../model/content-model.ts';
import type { Target } from '../../repository/content/fill/targets.ts';
import { findPaths } from '../../repository/content/read/find-alias.ts';
import type { Package } from '../files/package.ts';
import type { LoadContext } from '../table/table-options.ts';
import { bundleIn } from './document-values.ts';
import { isOptional, type Need, needsOf } from './entity-needs.ts';
import type { ExistingEntities } from './existing.ts';
import { type FileFacts, fileFacts } from './file-facts.ts';
import { conflicts, findExisting, findNew } from './find-existing.ts';
import { type PackageProblem, PackageRefused, within } from './package-problem.ts';
import { prepareRevision } from './prepare-revision.ts';
import { type PackageContents, type PackedEntity, readPackage, referredBy } from './read-package.ts';
import { omittedReference } from './restore-package.ts';

/** An entity that a package refers to and that neither the package nor the repository has. */
export interface OutsideNeed extends PackageProblem {
  /** The UUID of the entity with the reference. */
  readonly from: string;
  /** The UUID of the target. */
  readonly uuid: string;
  /** True if the reference can be omitted. */
  readonly isOptional: boolean;
  /** The sentence that reports an omitted reference. */
  readonly note: string;
}

/** An alias, and the entity that it leads to. */
interface Alias {
  readonly alias: string;
  readonly uuid: string;
  readonly path: string;
}

/** The result of a check of a package, before any of it is loaded. */
export interface PackageCheck {
  readonly problems: readonly PackageProblem[];
  /** The UUID of its node; undefined if the package has none. */
  readonly node: string | undefined;
  /** True if the repository has all of it. */
  readonly isPresent: boolean;
  /** The UUIDs of the entities that it adds. */
  readonly brings: readonly string[];
  /** The aliases that it adds. */
  readonly aliases: readonly Alias[];
  readonly needs: readonly OutsideNeed[];
  /** The names of users without an account in the repository: the user who imports becomes the owner instead. */
  readonly unknownUsers: readonly string[];
  readonly files: number;
  readonly bytes: number;
}

/**
 * Checks a package against the repository, and changes nothing. A package without problems can be restored once its
 * needs exist. Reads the bytes only of files without a verified SHA-256. Throws the errors of reading the package.
 */
export async function checkPackage(context: LoadContext, packed: Package): Promise<PackageCheck> {
  const { services, kinds } = context;
  const contents = await readPackage(kinds, packed);
  if (contents.problems.length > 0) return failed(contents.problems);
  const existing = await findExisting(services, contents);
  const added = findNew(contents, existing);
  const problems = conflicts(kinds, contents, added, existing);
  const facts = newFiles(context, contents, added, existing, problems);
  for (const each of facts) problems.push(...(await checkBytes(each)));
  const pretended = [...added.map((entity) => pretendedEntity(context, entity)), ...facts.map(pretendedFile(context))];
  const outside = needsOutside(
    context,
    added,
    new Set([...added.map(({ uuid }) => uuid), ...contents.files.keys()]),
    existing,
  );
  const lost = outside.filter(({ need: { type } }) => type !== 'node' && type !== 'media');
  problems.push(...lost.map(missingTarget));
  const others = outside.filter((each) => !lost.includes(each));
  const foreign = others.map(({ need: { type, uuid } }) => pretend(context, type, uuid, ''));
  // Each has an id of its own that no entity has.
  const targets = [...pretended, ...foreign].map((target, index): Target => ({ ...target, id: -1 - index }));
  const targetOf = new Map(targets.map((target) => [target.uuid, target]));
  const aliases: Alias[] = [];
  for (const entity of added) {
    // Missing targets would cause further problems that are none.
    const isWhole = needsOf(context, entity, existing).every(({ uuid }) => targetOf.has(uuid));
    const wanted = [...referredBy(entity)].flatMap((uuid) => targetOf.get(uuid) ?? []);
    if (isWhole) problems.push(...(await checkEntity(context, entity, wanted, existing, aliases)));
  }
  problems.push(...findCycles(context, added, existing));
  problems.push(...(await takenAliases(context, aliases)));
  return {
    problems,
    node: contents.node?.uuid,
    isPresent: added.length === 0 && existing.incomplete.all.size === 0,
    brings: added.map(({ uuid }) => uuid),
    aliases,
    needs: others.map(({ entity, need }) => ({
      from: entity.uuid,
      uuid: need.uuid,
      isOptional: isOptional(need),
      path: `${entity.path} ${need.at}`,
      message: `It refers to ${need.type} ${need.uuid}, which is neither in the repository nor in this import.`,
      note: omittedReference(entity, need),
    })),
    unknownUsers: [...contents.users].flatMap(([uuid, name]) => (existing.get('user', uuid) ? [] : name)),
    files: facts.length,
    bytes: facts.reduce((sum, { filesize }) => sum + filesize, 0),
  };
}

function failed(problems: readonly PackageProblem[]): PackageCheck {
  return {
    problems,
    node: undefined,
    isPresent: false,
    brings: [],
    aliases: [],
    needs: [],
    unknownUsers: [],
    files: 0,
    bytes: 0,
  };
}

/** Returns the facts of the files that come with added entities. Adds the problems of invalid records to `problems`. */
function newFiles(
  { services }: LoadContext,
  { files }: PackageContents,
  added: readonly PackedEntity[],
  existing: ExistingEntities,
  problems: PackageProblem[],
): FileFacts[] {
  const uuids = new Set(added.flatMap((entity) => [...referredBy(entity)]));
  return [...uuids].flatMap((uuid): FileFacts[] => {
    const packed = files.get(uuid);
    if (packed === undefined || existing.get('file', uuid)) return [];
    const facts = fileFacts(services, packed);
    if (!Array.isArray(facts)) return [facts as FileFacts];
    problems.push(...facts);
    return [];
  });
}

async function checkBytes({ content, sha256 }: FileFacts): Promise<PackageProblem[]> {
  if (content.file.sha256 !== undefined) return [];
  const hash = new Bun.CryptoHasher('sha256');
  for await (const chunk of content.file.open()) hash.update(chunk);
  const digest = hash.digest('hex');
  const message = `Its bytes have the SHA-256 ${digest}; its record says ${sha256}.`;
  return digest === sha256 ? [] : [{ path: content.path, message }];
}

async function checkEntity(
  context: LoadContext,
  { type, uuid, path, revisions }: PackedEntity,
  newTargets: readonly Target[],
  existing: ExistingEntities,
  aliases: Alias[],
): Promise<PackageProblem[]> {
  for (const [index, document] of revisions.entries()) {
    const isFormer = index < revisions.length - 1;
    const surroundings = { existing, newTargets, isFormer };
    try {
      const { draft } = await prepareRevision(context, context.kinds[type], document, surroundings);
      if (!isFormer && draft.alias !== null) aliases.push({ alias: draft.alias, uuid, path });
    } catch (error) {
      if (!(error instanceof PackageRefused)) throw error;
      const revision = isFormer ? `${path} (revision ${index + 1} of ${revisions.length})` : path;
      return error.problems.map((problem) => within(revision, problem));
    }
  }
  return [];
}

interface EntityNeed {
  readonly entity: PackedEntity;
  readonly need: Need;
}

function needsOutside(
  context: LoadContext,
  added: readonly PackedEntity[],
  inside: ReadonlySet<string>,
  existing: ExistingEntities,
): EntityNeed[] {
  return added.flatMap((entity) =>
    needsOf(context, entity, existing)
      .filter(({ uuid }) => !inside.has(uuid))
      .map((need) => ({ entity, need })),
  );
}

function missingTarget({ entity, need: { at, type, uuid } }: EntityNeed): PackageProblem {
  const reason =
    type === 'user'
      ? 'The repository has no user of that name'
      : 'Neither the repository nor the package has this entity';
  return { path: `${entity.path} ${at}`, message: `It refers to ${type} ${uuid}. ${reason}.` };
}

/** Returns a problem for each entity in a cycle of references: none of them can be created before the others. */
function findCycles(
  context: LoadContext,
  added: readonly PackedEntity[],
  existing: ExistingEntities,
): PackageProblem[] {
  const left = new Map(added.map((entity) => [entity.uuid, entity]));
  for (let count = -1; count !== left.size; ) {
    count = left.size;
    for (const entity of [...left.values()]) {
      const waits = needsOf(context, entity, existing).some((need) => !isOptional(need) && left.has(need.uuid));
      if (!waits) left.delete(entity.uuid);
    }
  }
  return [...left.values()].map(({ path }) => ({
    path,
    message: 'It is in a cycle of references between entities of the package, so that none can be created first.',
  }));
}

async function takenAliases({ services }: LoadContext, aliases: readonly Alias[]): Promise<PackageProblem[]> {
  const owners = await findPaths(
    services.database,
    aliases.map(({ alias }) => alias),
  );
  return aliases.flatMap(({ alias, path }) => {
    const owner = owners.get(alias);
    const message = `${owner} already has the alias ${alias}. Change one of the two.`;
    return owner === undefined ? [] : [{ path: `${path} path.0.alias`, message }];
  });
}

function pretendedEntity(context: LoadContext, { type, uuid, revisions }: PackedEntity): Target {
  const bundle = bundleIn(context.kinds[type], revisions[revisions.length - 1] ?? revisions[0]);
  return pretend(context, type, uuid, 'message' in bundle ? '' : bundle.name);
}

function pretendedFile(context: LoadContext) {
  return ({ uuid, uri, filename, filemime, filesize }: FileFacts): Target => ({
    ...pretend(context, 'file', uuid, ''),
    file: {
      ...{ uri, filename, filemime, recognizedType: null, filesize },
      ...{ width: null, height: null, storageKey: '', storedIn: null },
    },
  });
}

function pretend({ actor }: LoadContext, type: EntityType, uuid: string, bundle: string): Target {
  const facts = { bundle, ownerId: actor.id, status: true, accessSet: 0 };
  return { type, id: 0, uuid, ...facts, version: undefined, file: undefined };
}
