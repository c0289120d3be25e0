import { sql } from 'drizzle-orm';
import type { JsonObject } from '../../base/json.ts';
import { query } from '../../database/query-builder.ts';
import { paragraphRevisions, terms } from '../../database/schema/content.ts';
import { users as userTable } from '../../database/schema/users.ts';
import { isAmong } from '../../database/sql.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import type { ContentKinds } from '../../repository/content/kinds.ts';
import type { Services } from '../../repository/content/services.ts';
import { lastIdOf } from '../../repository/content/write/content-rows.ts';
import { normalizeName } from '../../repository/users/find-user.ts';
import { firstValue } from './document-facts.ts';
import { bundleIn } from './document-values.ts';
import { ExistingEntities, findKnown } from './existing.ts';
import { findIncomplete } from './incomplete.ts';
import { matchTerms } from './match-terms.ts';
import type { PackageProblem } from './package-problem.ts';
import { type PackageContents, type PackedEntity, referredBy } from './read-package.ts';

/** Finds the entities in the repository that a package holds or refers to. */
export async function findExisting(services: Services, contents: PackageContents): Promise<ExistingEntities> {
  const { entities, files, users } = contents;
  // Servers and other imports may have written meanwhile.
  services.database.refresh();
  const uuids = new Set([...files.keys(), ...entities.map(({ uuid }) => uuid)]);
  for (const entity of entities) for (const uuid of referredBy(entity)) uuids.add(uuid);
  const known = await findKnown(services, uuids);
  // Users are matched by name.
  const existing = new ExistingEntities(known.filter(({ type }) => type !== 'user'));
  existing.termsUntil = (await services.database.get(findLastTerm()))?.id ?? 0;
  existing.incomplete = await findIncomplete(services, contents.node ? [contents.node.uuid] : []);
  await matchUsers(services, users, existing);
  await matchTerms(
    services,
    entities.filter(({ type }) => type === 'taxonomy_term'),
    existing,
  );
  await matchRevisions(services, entities, existing);
  return existing;
}

/**
 * Returns the entities of a package that the repository does not have. Terms and paragraphs are included only if an added
 * entity refers to them in any of its revisions: existing content keeps its paragraphs, and deleted terms stay deleted.
 */
export function findNew({ entities }: PackageContents, existing: ExistingEntities): PackedEntity[] {
  const isNew = ({ type, uuid }: PackedEntity) => existing.get(type, uuid) === undefined;
  const isPart = ({ type }: PackedEntity) => type === 'taxonomy_term' || type === 'paragraph';
  // A paragraph that exists may have new parts, if its node is incomplete.
  const parts = entities.filter((each) => each.type === 'paragraph' || (isPart(each) && isNew(each)));
  const partNamed = new Map(parts.map((part) => [part.uuid, part]));
  const { unchanged } = existing.incomplete;
  const wanted = new Set(entities.filter((each) => !isPart(each) && (isNew(each) || unchanged.has(each.uuid))));
  // The loop also visits the entities that it adds: parents of terms, and parts of paragraphs.
  for (const entity of parts.length > 0 ? wanted : [])
    for (const uuid of referredBy(entity)) {
      const part = partNamed.get(uuid);
      if (part !== undefined && (part.type === 'paragraph' || isNew(entity))) wanted.add(part);
    }
  return entities.filter((each) => isNew(each) && wanted.has(each));
}

const findLastTerm = prepare(() => plain(sql`SELECT ${lastIdOf(terms)}`, { id: lastIdOf(terms) }));

/** Returns a problem for each UUID of a package that stands for another entity in the repository. */
export function conflicts(
  kinds: ContentKinds,
  contents: PackageContents,
  added: readonly PackedEntity[],
  existing: ExistingEntities,
): PackageProblem[] {
  const { entities, files } = contents;
  const problems: PackageProblem[] = [];
  const identified = [
    ...entities,
    ...[...files.values()].map(({ uuid, path }) => ({ uuid, path, type: 'file' as const })),
  ];
  for (const { type, uuid, path } of identified) {
    const foreign = existing.foreign(type, uuid);
    if (foreign) {
      const message = `Its UUID is that of ${foreign.type} ${foreign.id} in the repository.`;
      problems.push({ path, message });
    }
  }
  for (const { type, uuid, path, revisions } of entities) {
    const known = existing.get(type, uuid);
    const bundle = bundleIn(kinds[type], revisions[revisions.length - 1] as JsonObject);
    if (known === undefined || 'message' in bundle || bundle.name === known.bundle) continue;
    const message = `Its bundle is ${bundle.name}; the repository has ${type} ${known.id} with its UUID and the bundle ${known.bundle}.`;
    problems.push({ path, message });
  }
  return [...problems, ...otherBytes(contents, added, existing)];
}

/** Returns a problem for each file of an added entity that the repository has with other bytes. */
function otherBytes(
  { files }: PackageContents,
  added: readonly PackedEntity[],
  existing: ExistingEntities,
): PackageProblem[] {
  return [...new Set(added.flatMap((entity) => [...referredBy(entity)]))].flatMap((uuid): PackageProblem[] => {
    const packed = files.get(uuid);
    const known = existing.get('file', uuid);
    if (packed === undefined || known === undefined || firstValue(packed.document, 'sha256') === known.sha256)
      return [];
    return [{ path: packed.path, message: `The repository has this file (file ${known.id}) with other bytes.` }];
  });
}

const findNamed = prepare(({ names }: Named<{ names: string }>) =>
  plain(
    sql`SELECT ${userTable.id}, ${userTable.uuid}, j.value FROM json_each(${names}) j
      JOIN ${userTable} ON ${userTable.name} = j.value COLLATE NOCASE`,
    { id: userTable.id, uuid: userTable.uuid, asked: sql<string>`value` },
  ),
);

/** Adds the users of the repository with the names of users in a package. Creates no accounts. */
async function matchUsers(
  { database }: Services,
  users: ReadonlyMap<string, string>,
  existing: ExistingEntities,
): Promise<void> {
  const names = JSON.stringify([...new Set([...users.values()].map(normalizeName))]);
  const rows = await database.all(findNamed({ names }));
  const rowsBy = new Map(rows.map(({ id, uuid, asked }) => [asked, { id, uuid }]));
  for (const [uuid, name] of users) {
    const user = rowsBy.get(normalizeName(name));
    if (user) existing.set(uuid, { type: 'user', ...user, bundle: '', sha256: undefined });
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
 * Matches the revisions of existing paragraphs with those of a package, if there are equally many. References to
 * paragraphs name a revision.
 */
export async function matchRevisions(
  { database }: Services,
  entities: readonly PackedEntity[],
  existing: ExistingEntities,
): Promise<void> {
  const paragraphs = entities.flatMap(({ type, uuid, revisions }) => {
    const known = type === 'paragraph' ? existing.get(type, uuid) : undefined;
    return known === undefined ? [] : [{ id: known.id, uuid, revisions }];
  });
  if (paragraphs.length === 0) return;
  const rows = await database.all(findRevisions({ ids: JSON.stringify(paragraphs.map(({ id }) => id)) }));
  const idsHere = Map.groupBy(rows, ({ entityId }) => entityId);
  for (const { id, uuid, revisions } of paragraphs) {
    const ids = idsHere.get(id) ?? [];
    if (ids.length !== revisions.length) continue;
    for (const [index, document] of revisions.entries())
      existing.setRevision(uuid, firstValue(document, 'revision_id'), Number(ids[index]?.id));
  }
}
