import { and, eq, exists, getTableColumns, notExists, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { Cache } from '../../../base/cache.ts';
import { madeOnce } from '../../../base/made-once.ts';
import type { Database } from '../../../database/database.ts';
import { query } from '../../../database/query-builder.ts';
import { contentTables, paragraphs } from '../../../database/schema/content.ts';
import { type FileRow, files } from '../../../database/schema/files.ts';
import { references } from '../../../database/schema/references.ts';
import { isText, literal, nested } from '../../../database/sql.ts';
import { type Named, prepare, statementOf } from '../../../database/statement.ts';
import type { Bundle, ContentModel } from '../../../model/content-model.ts';
import { isFileAdministrator, seesFilesOf } from '../../access.ts';
import type { ContentType, HostFacts, LinkedType } from '../../access-rule.ts';
import { type Actor, ADMINISTRATOR_ID } from '../../actor.ts';
import { GENERIC_ICON_URI } from '../../files/generic-icon.ts';
import { CONTENT_ACCESS, paragraphAccess } from '../../paragraph-access.ts';
import { refersTo } from '../../relations.ts';
import type { Services } from '../services.ts';
import {
  nodesWithOpenFiles,
  type ViewerParameters,
  type ViewerValues,
  viewerValues,
  visibilityKey,
  visibleRows,
} from '../visible-rows.ts';
import { hostsOf, readHosts } from './paragraph-hosts.ts';

/**
 * In every scheme, callers may read a file if they may view an entity that refers to it (decision 32). Its
 * owner and administrators may read an unreferenced file, and everyone the generic icon.
 */

/** Maximum number of checked paragraphs per file: a file in a hundred hidden paragraphs counts as hidden. */
const MAX_PARAGRAPHS = 100;

/** The types of content whose fields can refer to files. */
const referringTypes = madeOnce((model: ContentModel) => {
  const refersToFiles = (bundles: ReadonlyMap<string, Bundle>) =>
    [...bundles.values()].some(({ fields }) => fields.some(({ targetType }) => targetType === 'file'));
  const linked: LinkedType[] = ['media'];
  if (refersToFiles(model.nodeTypes)) linked.push('node');
  if (refersToFiles(model.vocabularies)) linked.push('taxonomy_term');
  return { linked, hasParagraphs: refersToFiles(model.paragraphTypes) };
});

const [reference, paragraph] = [alias(references, 'r'), alias(paragraphs, 'p')];

/** Returns the condition that content of a type refers to a row of `files`. */
const refersToFile = (type: ContentType) =>
  and(refersTo(reference, 'file', files.id), isText(reference.sourceType, type));

/**
 * Returns the condition that the actor may read a row of `files`, except through paragraphs, which no query can decide
 * (`paragraphsOf`).
 */
function readableFiles(model: ContentModel, actor: Actor, viewer: ViewerParameters = viewerValues(actor)): SQL {
  const visible = referringTypes(model).linked.map((type) => {
    const content = contentTables[type];
    const kind = { type, access: CONTENT_ACCESS[type] };
    // The files of a node itself have no use that a rule could leave open.
    const select = type === 'node' ? nodesWithOpenFiles : visibleRows;
    const isVisible = select(kind, actor, content, viewer);
    return exists(
      query
        .select({ id: content.id })
        .from(reference)
        .innerJoin(content, eq(content.id, reference.sourceId))
        .where(and(refersToFile(type), isVisible)),
    );
  });
  const isIcon = sql`${files.uri} = ${literal(GENERIC_ICON_URI)} AND ${files.ownerId} = ${sql.raw(String(ADMINISTRATOR_ID))}`;
  return sql`(${sql.join([...visible, unreferencedFiles(actor, viewer), isIcon], sql` OR `)})`;
}

/** Returns a text that is the same for actors with the same `readableFiles`, their ids excepted. */
function readableKey(model: ContentModel, actor: Actor): string {
  const visible = referringTypes(model).linked.map((type) =>
    visibilityKey({ type, access: CONTENT_ACCESS[type] }, actor),
  );
  return [actor.isAuthenticated, isFileAdministrator(actor), ...visible].join();
}

function unreferencedFiles(actor: Actor, { actorId }: ViewerParameters): SQL {
  if (!actor.isAuthenticated) return sql`FALSE`;
  const isUnreferenced = notExists(
    query
      .select({ id: reference.sourceId })
      .from(reference)
      .where(refersTo(reference, 'file', files.id)),
  );
  return isFileAdministrator(actor) ? isUnreferenced : sql`(${files.ownerId} = ${actorId} AND ${isUnreferenced})`;
}

/** Returns the paragraphs that refer to a row of `files` as a JSON column; `NULL` if no type can do so. */
function paragraphsOf(model: ContentModel): SQL<string | null> {
  if (!referringTypes(model).hasParagraphs) return sql`NULL`;
  const { bundle, ownerId, status } = paragraph;
  const paragraphs = query
    .select({ bundle, ownerId, status, hosts: hostsOf(paragraph).as('hosts') })
    .from(reference)
    .innerJoin(paragraph, eq(paragraph.id, reference.sourceId))
    .where(refersToFile('paragraph'))
    .limit(MAX_PARAGRAPHS)
    .as('found');
  const row = sql`json_array(${paragraphs.bundle}, ${paragraphs.ownerId}, ${paragraphs.status}, ${paragraphs.hosts})`;
  return nested(sql`${query.select({ list: sql`json_group_array(${row})` }).from(paragraphs)}`);
}

type ParagraphRow = [bundle: string, ownerId: number, status: number, hosts: string];

/** Returns true if the actor may view one of the paragraphs in the column of `paragraphsOf`. */
function seesParagraph(actor: Actor, column: string | null): boolean {
  if (column === null) return false;
  return (JSON.parse(column) as ParagraphRow[]).some(([bundle, ownerId, status, hosts]) => {
    const facts = { bundle, ownerId, status: status === 1, accessSet: 0, hosts: readHosts(hosts) };
    return paragraphAccess.view(actor, facts).isAllowed && seesFilesOfHosts(actor, facts.hosts);
  });
}

/** Returns true unless an access rule closes the files of the node that contains a paragraph. */
function seesFilesOfHosts(actor: Actor, hosts: readonly HostFacts[]): boolean {
  return hosts.every((host) => host.type !== 'node' || seesFilesOf(actor, host));
}

/** Returns true if the actor may read the file with an id. */
export async function mayReadFile({ database, model }: Services, actor: Actor, fileId: number): Promise<boolean> {
  const row = await database.get(
    statementOf(
      query
        .select({ mayRead: nested(sql<number>`${readableFiles(model, actor)}`), paragraphs: paragraphsOf(model) })
        .from(files)
        .where(eq(files.id, fileId)),
    ),
  );
  return row !== undefined && (row.mayRead === 1 || seesParagraph(actor, row.paragraphs));
}

/** A file with a caller's access to its bytes. */
export interface ReadableFile {
  readonly row: FileRow;
  readonly mayRead: boolean;
  /** True if anonymous callers may read it, so that shared caches may store it. */
  readonly isOpen: boolean;
}

/** Finds a file by its stream URI, such as `public://a.png`, with the actor's access, in one query. */
export type FindReadableFile = (actor: Actor, uri: string) => Promise<ReadableFile | undefined>;

/** The values of anonymous callers, beside those of the caller. They change with rules and days. */
type AnonymousValues = { readonly [Name in keyof ViewerValues as `anonymous:${Name}`]: ViewerValues[Name] };

function anonymousValues(anonymous: Actor): AnonymousValues {
  const { actorId, verdicts, openUses, thumbnails } = viewerValues(anonymous);
  return {
    'anonymous:actorId': actorId,
    'anonymous:verdicts': verdicts,
    'anonymous:openUses': openUses,
    'anonymous:thumbnails': thumbnails,
  };
}

const anonymousViewer = (values: Named<AnonymousValues>): ViewerParameters => ({
  actorId: values['anonymous:actorId'],
  verdicts: values['anonymous:verdicts'],
  openUses: values['anonymous:openUses'],
  thumbnails: values['anonymous:thumbnails'],
});

const MAX_BYTES = 1024 * 1024;
/** Estimated bytes of a file's row. */
const FILE_BYTES = 800;

/**
 * Prepares one statement for each set of permissions, of which a repository has a few. Caches the results for anonymous
 * callers until the next write (`Database.stamp`), so that a page of thumbnails costs no query.
 */
export function createFindReadableFile(database: Database, model: ContentModel, anonymous: Actor): FindReadableFile {
  const prepared = new Map<string, ReturnType<typeof prepareFor>>();
  const cache = new Cache<ReadableFile>({ maxBytes: MAX_BYTES, bytesOf: () => FILE_BYTES, state: database.stamp });

  function prepareFor(actor: Actor, isAnonymous: boolean) {
    return prepare((values: Named<{ uri: string } & ViewerValues & AnonymousValues>) =>
      query
        .select({
          ...getTableColumns(files),
          isOpen: nested(sql<number>`${readableFiles(model, anonymous, anonymousViewer(values))}`),
          mayRead: isAnonymous ? sql<number>`0` : nested(sql<number>`${readableFiles(model, actor, values)}`),
          paragraphs: paragraphsOf(model),
        })
        .from(files)
        .where(eq(files.uri, values.uri)),
    );
  }

  const findNow: FindReadableFile = async (actor, uri) => {
    const isAnonymous = actor === anonymous;
    const key = [isAnonymous, readableKey(model, anonymous), readableKey(model, actor)].join(' ');
    let find = prepared.get(key);
    if (find === undefined) {
      find = prepareFor(actor, isAnonymous);
      prepared.set(key, find);
    }
    const file = await database.get(find({ uri, ...viewerValues(actor), ...anonymousValues(anonymous) }));
    if (file === undefined) return undefined;
    const { isOpen, mayRead, paragraphs, ...row } = file;
    const isReadable = isAnonymous ? isOpen : mayRead;
    return {
      row,
      mayRead: isReadable === 1 || seesParagraph(actor, paragraphs),
      isOpen: isOpen === 1 || seesParagraph(anonymous, paragraphs),
    };
  };
  return (actor, uri) =>
    actor === anonymous ? cache.read(`${uri} ${actor.sight.version}`, () => findNow(actor, uri)) : findNow(actor, uri);
}
