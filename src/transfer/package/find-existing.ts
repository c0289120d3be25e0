import { sql } from 'drizzle-orm';
import type { JsonObject } from '../../base/json.ts';
import { query } from '../../database/query-builder.ts';
import { paragraphRevisions, terms } from '../../database/schema/content.ts';
import { users as userTable } from '../../database/schema/users.ts';
import { isAmong } from '../../database/sql.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import { lastIdOf } from '../../repository/content/content-rows.ts';
import type { ContentKinds } from '../../repository/content/kinds.ts';
import type { Services } from '../../repository/content/services.ts';
import { normalizeName } from '../../repository/users/find-user.ts';
import { firstValue } from './document-facts.ts';
import { bundleIn } from './document-values.ts';
import { findKnown, Here } from './existing.ts';
import { findIncomplete } from './incomplete.ts';
import { matchTerms } from './match-terms.ts';
import type { PackageProblem } from './package-problem.ts';
import { type PackageContents, type PackedEntity, referredBy } from './read-package.ts';

/** Finds what the repository has of all that a package holds and refers to. */
export async function lookAround(services: Services, contents: PackageContents): Promise<Here> {
  const { entities, files, users } = contents;
  // Servers, and other imports, may have written since.
  services.database.refresh();
  const uuids = new Set([...files.keys(), ...entities.map(({ uuid }) => uuid)]);
  for (const entity of entities) for (const uuid of referredBy(entity)) uuids.add(uuid);
  const known = await findKnown(services, uuids);
  // Users are the same if they have the same name.
  const here = new Here(known.filter(({ type }) => type !== 'user'));
  here.termsUntil = (await services.database.get(findLastTerm()))?.id ?? 0;
  here.incomplete = await findIncomplete(services, contents.node ? [contents.node.uuid] : []);
  await matchUsers(services, users, here);
  await matchTerms(
    services,
    entities.filter(({ type }) => type === 'taxonomy_term'),
    here,
  );
  await noteRevisions(services, entities, here);
  return here;
}

/**
 * What of a package is not here. Terms and paragraphs come only with what is to be made and refers to them, in any of its
 * revisions: with content that is here already the paragraphs stay as they are, too, and terms that were deleted stay away.
 */
export function newIn({ entities }: PackageContents, here: Here): PackedEntity[] {
  const isNew = ({ type, uuid }: PackedEntity) => here.get(type, uuid) === undefined;
  const isPart = ({ type }: PackedEntity) => type === 'taxonomy_term' || type === 'paragraph';
  // What is new may be within a paragraph that is here: of a node that an import has left incomplete.
  const parts = entities.filter((each) => each.type === 'paragraph' || (isPart(each) && isNew(each)));
  const partNamed = new Map(parts.map((part) => [part.uuid, part]));
  const { unchanged } = here.incomplete;
  const wanted = new Set(entities.filter((each) => !isPart(each) && (isNew(each) || unchanged.has(each.uuid))));
  // A set is walked through to what is added on the way: the terms above these, and what is within paragraphs.
  for (const entity of parts.length > 0 ? wanted : [])
    for (const uuid of referredBy(entity)) {
      const part = partNamed.get(uuid);
      if (part !== undefined && (part.type === 'paragraph' || isNew(entity))) wanted.add(part);
    }
  return entities.filter((each) => isNew(each) && wanted.has(each));
}

const findLastTerm = prepare(() => plain(sql`SELECT ${lastIdOf(terms)}`, { id: lastIdOf(terms) }));

/** What the repository has under the UUIDs of a package and that is something else. `news` is what of it is not here. */
export function clashes(
  kinds: ContentKinds,
  contents: PackageContents,
  news: readonly PackedEntity[],
  here: Here,
): PackageProblem[] {
  const { entities, files } = contents;
  const problems: PackageProblem[] = [];
  const things = [...entities, ...[...files.values()].map(({ uuid, path }) => ({ uuid, path, type: 'file' as const }))];
  for (const { type, uuid, path } of things) {
    const foreign = here.foreign(type, uuid);
    if (foreign) {
      const message = `The repository has something else under its UUID: ${foreign.type} ${foreign.id}.`;
      problems.push({ path, message });
    }
  }
  for (const { type, uuid, path, revisions } of entities) {
    const known = here.get(type, uuid);
    const bundle = bundleIn(kinds[type], revisions[revisions.length - 1] as JsonObject);
    if (known === undefined || 'message' in bundle || bundle.name === known.bundle) continue;
    const message = `It is a ${bundle.name}; what the repository has under its UUID, ${type} ${known.id}, is a ${known.bundle}.`;
    problems.push({ path, message });
  }
  return [...problems, ...otherBytes(contents, news, here)];
}

/** Files that the repository has with other bytes, and that something new is to refer to. */
function otherBytes({ files }: PackageContents, news: readonly PackedEntity[], here: Here): PackageProblem[] {
  return [...new Set(news.flatMap((entity) => [...referredBy(entity)]))].flatMap((uuid): PackageProblem[] => {
    const packed = files.get(uuid);
    const known = here.get('file', uuid);
    if (packed === undefined || known === undefined || firstValue(packed.document, 'sha256') === known.sha256)
      return [];
    return [{ path: packed.path, message: `The repository has this file, ${known.id}, with other bytes.` }];
  });
}

const findNamed = prepare(({ names }: Named<{ names: string }>) =>
  plain(
    sql`SELECT ${userTable.id}, ${userTable.uuid}, j.value FROM json_each(${names}) j
      JOIN ${userTable} ON ${userTable.name} = j.value COLLATE NOCASE`,
    { id: userTable.id, uuid: userTable.uuid, asked: sql<string>`value` },
  ),
);

/** Notes the users of a package that the repository has: those of the same name. No account is ever made. */
export async function matchUsers(
  { database }: Services,
  users: ReadonlyMap<string, string>,
  here: Here,
): Promise<void> {
  const names = JSON.stringify([...new Set([...users.values()].map(normalizeName))]);
  const rows = await database.all(findNamed({ names }));
  const found = new Map(rows.map(({ id, uuid, asked }) => [asked, { id, uuid }]));
  for (const [uuid, name] of users) {
    const user = found.get(normalizeName(name));
    if (user) here.set(uuid, { type: 'user', ...user, bundle: '', sha256: undefined });
  }
}

const { id: revisionId, entityId } = paragraphRevisions;
const findRevisions = prepare(({ ids }: Named<{ ids: string }>) =>
  query
    .select({ entityId, id: revisionId })
    .from(paragraphRevisions)
    .where(isAmong(entityId, ids))
    .orderBy(entityId, revisionId),
);

/**
 * Notes which revisions of paragraphs here are those of a package, where there are as many: what refers to a paragraph
 * names one of them.
 */
export async function noteRevisions(
  { database }: Services,
  entities: readonly PackedEntity[],
  here: Here,
): Promise<void> {
  const paragraphs = entities.flatMap(({ type, uuid, revisions }) => {
    const known = type === 'paragraph' ? here.get(type, uuid) : undefined;
    return known === undefined ? [] : [{ id: known.id, uuid, revisions }];
  });
  if (paragraphs.length === 0) return;
  const found = await database.all(findRevisions({ ids: JSON.stringify(paragraphs.map(({ id }) => id)) }));
  const idsHere = Map.groupBy(found, ({ entityId }) => entityId);
  for (const { id, uuid, revisions } of paragraphs) {
    const ids = idsHere.get(id) ?? [];
    if (ids.length !== revisions.length) continue;
    for (const [index, document] of revisions.entries())
      here.setRevision(uuid, firstValue(document, 'revision_id'), Number(ids[index]?.id));
  }
}
