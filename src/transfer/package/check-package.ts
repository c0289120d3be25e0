import type { EntityType } from '../../model/content-model.ts';
import { findPaths } from '../../repository/content/find-alias.ts';
import type { Target } from '../../repository/content/targets.ts';
import type { Package } from '../files/package.ts';
import type { LoadContext } from '../table/table-options.ts';
import { bundleIn } from './document-values.ts';
import { isOptional, type Need, needsOf } from './entity-needs.ts';
import type { Here } from './existing.ts';
import { type FileFacts, fileFacts } from './file-facts.ts';
import { clashes, lookAround, newIn } from './find-existing.ts';
import { type PackageProblem, PackageRefused, within } from './package-problem.ts';
import { prepareRevision } from './prepare-revision.ts';
import { type PackageContents, type PackedEntity, readPackage, referredBy } from './read-package.ts';
import { leftOut } from './restore-package.ts';

/** Something that a package needs and neither holds nor finds here. */
export interface OutsideNeed extends PackageProblem {
  /** Who needs it, and what. */
  readonly from: string;
  readonly uuid: string;
  /** Whether it can be left out. */
  readonly isOptional: boolean;
  /** What to say if it does not come and can be done without. */
  readonly note: string;
}

/** An address beside the canonical one, and whose it is. */
export interface Alias {
  readonly alias: string;
  readonly uuid: string;
  readonly path: string;
}

/** What is known of a package before any of it is loaded. */
export interface PackageCheck {
  readonly problems: readonly PackageProblem[];
  /** The UUID of its node; undefined for what holds none. */
  readonly node: string | undefined;
  /** Whether all of it is here already. */
  readonly isPresent: boolean;
  /** The UUIDs of what it would bring. */
  readonly brings: readonly string[];
  /** The addresses beside the canonical ones that it would bring. */
  readonly aliases: readonly Alias[];
  readonly needs: readonly OutsideNeed[];
  /** The names of users who are not here: what is theirs becomes that of whoever loads it. */
  readonly strangers: readonly string[];
  readonly files: number;
  readonly bytes: number;
}

/**
 * Checks all of a package against the repository, and changes nothing: what passes can be restored, unless it needs what
 * does not come. Reads the bytes only of files whose SHA-256 nobody has verified. Throws what reading the package throws.
 */
export async function checkPackage(context: LoadContext, packed: Package): Promise<PackageCheck> {
  const { services, kinds } = context;
  const contents = await readPackage(kinds, packed);
  if (contents.problems.length > 0) return failed(contents.problems);
  const here = await lookAround(services, contents);
  const news = newIn(contents, here);
  const problems = clashes(kinds, contents, news, here);
  const facts = newFiles(context, contents, news, here, problems);
  for (const each of facts) problems.push(...(await checkBytes(each)));
  const pretended = [...news.map((entity) => pretendedEntity(context, entity)), ...facts.map(pretendedFile(context))];
  const outside = needsOutside(
    context,
    news,
    new Set([...news.map(({ uuid }) => uuid), ...contents.files.keys()]),
    here,
  );
  const lost = outside.filter(({ need: { type } }) => type !== 'node' && type !== 'media');
  problems.push(...lost.map(lostTarget));
  const others = outside.filter((each) => !lost.includes(each));
  const foreign = others.map(({ need: { type, uuid } }) => pretend(context, type, uuid, ''));
  // With ids of their own, and such as nothing has.
  const targets = [...pretended, ...foreign].map((target, index): Target => ({ ...target, id: -1 - index }));
  const targetOf = new Map(targets.map((target) => [target.uuid, target]));
  const aliases: Alias[] = [];
  for (const entity of news) {
    // Without what it refers to, more would seem to be wrong with it than there is.
    const isWhole = needsOf(context, entity, here).every(({ uuid }) => targetOf.has(uuid));
    const wanted = [...referredBy(entity)].flatMap((uuid) => targetOf.get(uuid) ?? []);
    if (isWhole) problems.push(...(await checkEntity(context, entity, wanted, here, aliases)));
  }
  problems.push(...circles(context, news, here));
  problems.push(...(await takenAliases(context, aliases)));
  return {
    problems,
    node: contents.node?.uuid,
    isPresent: news.length === 0 && here.incomplete.all.size === 0,
    brings: news.map(({ uuid }) => uuid),
    aliases,
    needs: others.map(({ entity, need }) => ({
      from: entity.uuid,
      uuid: need.uuid,
      isOptional: isOptional(need),
      path: `${entity.path} ${need.at}`,
      message: `It refers to ${need.type} ${need.uuid}, which is neither in the repository nor in this import.`,
      note: leftOut(entity, need),
    })),
    strangers: [...contents.users].flatMap(([uuid, name]) => (here.get('user', uuid) ? [] : name)),
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
    strangers: [],
    files: 0,
    bytes: 0,
  };
}

/** The files that come with what is new. */
function newFiles(
  { services }: LoadContext,
  { files }: PackageContents,
  news: readonly PackedEntity[],
  here: Here,
  problems: PackageProblem[],
): FileFacts[] {
  const uuids = new Set(news.flatMap((entity) => [...referredBy(entity)]));
  return [...uuids].flatMap((uuid): FileFacts[] => {
    const packed = files.get(uuid);
    if (packed === undefined || here.get('file', uuid)) return [];
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
  const found = hash.digest('hex');
  const message = `Its bytes have the SHA-256 ${found}; its record says ${sha256}.`;
  return found === sha256 ? [] : [{ path: content.path, message }];
}

async function checkEntity(
  context: LoadContext,
  { type, uuid, path, revisions }: PackedEntity,
  newTargets: readonly Target[],
  here: Here,
  aliases: Alias[],
): Promise<PackageProblem[]> {
  for (const [index, document] of revisions.entries()) {
    const isFormer = index < revisions.length - 1;
    const surroundings = { here, newTargets, isFormer };
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
  news: readonly PackedEntity[],
  inside: ReadonlySet<string>,
  here: Here,
): EntityNeed[] {
  return news.flatMap((entity) =>
    needsOf(context, entity, here)
      .filter(({ uuid }) => !inside.has(uuid))
      .map((need) => ({ entity, need })),
  );
}

function lostTarget({ entity, need: { at, type, uuid } }: EntityNeed): PackageProblem {
  const where = type === 'user' ? 'There is no user of that name here' : 'It is neither here nor in the package';
  return { path: `${entity.path} ${at}`, message: `It refers to ${type} ${uuid}. ${where}.` };
}

/** What can never be made, for each of it would have to be there before the other. */
function circles(context: LoadContext, news: readonly PackedEntity[], here: Here): PackageProblem[] {
  const left = new Map(news.map((entity) => [entity.uuid, entity]));
  for (let count = -1; count !== left.size; ) {
    count = left.size;
    for (const entity of [...left.values()]) {
      const waits = needsOf(context, entity, here).some((need) => !isOptional(need) && left.has(need.uuid));
      if (!waits) left.delete(entity.uuid);
    }
  }
  return [...left.values()].map(({ path }) => ({
    path,
    message: 'It and others of the package refer to each other in a circle: none of them can be made first.',
  }));
}

async function takenAliases({ services }: LoadContext, aliases: readonly Alias[]): Promise<PackageProblem[]> {
  const owners = await findPaths(
    services.database,
    aliases.map(({ alias }) => alias),
  );
  return aliases.flatMap(({ alias, path }) => {
    const owner = owners.get(alias);
    const message = `The alias ${alias} is that of ${owner} here. Give one of them another.`;
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
    file: { uri, filename, filemime, filesize, width: null, height: null, storageKey: '', storedIn: null },
  });
}

function pretend({ actor }: LoadContext, type: EntityType, uuid: string, bundle: string): Target {
  return { type, id: 0, uuid, bundle, ownerId: actor.id, status: true, version: undefined, file: undefined };
}
