import { sql } from 'drizzle-orm';
import type { JsonObject } from '../../base/json.ts';
import { terms } from '../../database/schema/content.ts';
import { plain, prepare } from '../../database/statement.ts';
import { lastIdOf } from '../../repository/content/content-rows.ts';
import type { ContentKinds } from '../../repository/content/kinds.ts';
import type { Services } from '../../repository/content/services.ts';
import { firstValue } from './document-members.ts';
import { bundleIn } from './document-values.ts';
import { findIncomplete } from './incomplete.ts';
import { findKnown, Here } from './known-here.ts';
import { matchTerms } from './match-terms.ts';
import { matchUsers } from './match-users.ts';
import type { PackageProblem } from './package-problem.ts';
import { type PackageContents, type PackedEntity, referredBy } from './read-package.ts';
import { noteRevisions } from './revisions-here.ts';

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
