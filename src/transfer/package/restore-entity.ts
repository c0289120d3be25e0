import { and, eq, exists, gt } from 'drizzle-orm';
import { ServiceError } from '../../base/errors.ts';
import { query } from '../../database/query-builder.ts';
import { terms } from '../../database/schema/content.ts';
import { failIf } from '../../database/sql.ts';
import { type Named, prepare, type Statement } from '../../database/statement.ts';
import { foldLabel, open } from '../../repository/content/content.ts';
import { targetOfNew } from '../../repository/content/fill/targets.ts';
import { adoptParagraphs } from '../../repository/content/write/adopt-paragraphs.ts';
import type { ContentPlan } from '../../repository/content/write/decide-content.ts';
import { previousRevisions, rewritePreviousRevisions } from '../../repository/content/write/previous-revisions.ts';
import { referenceRows } from '../../repository/content/write/reference-statements.ts';
import { clearTerms, writeNew, writeOver } from '../../repository/content/write/save-content.ts';
import { insertFile, type NewFile } from '../../repository/files/file-rows.ts';
import { type FileToSave, withFreeUris } from '../../repository/files/free-uri.ts';
import { type IngestedBytes, ingest, keepIf } from '../../repository/files/ingest.ts';
import { retrying } from '../../repository/retrying.ts';
import type { LoadContext } from '../table/table-options.ts';
import type { ExistingEntities, ExistingEntity } from './existing.ts';
import type { FileFacts } from './file-facts.ts';
import { FIRST_VERSION, noteComplete, noteIncomplete } from './incomplete.ts';
import { PackageRefused, within } from './package-problem.ts';
import { prepareRevision } from './prepare-revision.ts';
import { readContent } from './read-content.ts';
import type { PackedEntity } from './read-package.ts';

/** An entity that was restored, and its new files. */
interface RestoredEntity {
  readonly entity: ExistingEntity;
  readonly files: readonly ExistingEntity[];
}

/**
 * Writes an entity of a package with its revisions and new files in one transaction. Omits references to missing targets.
 * Throws PackageRefused, and errors of the database, also if another process creates the same entity.
 */
export function restoreEntity(
  context: LoadContext,
  entity: PackedEntity,
  facts: readonly FileFacts[],
  existing: ExistingEntities,
  isIncomplete: boolean,
  signal: AbortSignal,
): Promise<RestoredEntity> {
  const { services } = context;
  const stored: IngestedBytes[] = [];
  return keepIf(stored, async () => {
    const wanted: FileToSave[] = [];
    for (const each of facts) {
      const ingested = await stageFile(each, signal);
      stored.push(ingested);
      const { uuid, uri, filename, filemime, langcode, created, changed, owner } = each;
      const ownerId = ((owner && existing.get('user', owner)) || context.actor).id;
      wanted.push({ uuid, uri, filename, filemime, langcode, created, changed, ownerId, ingested });
    }
    return withFreeUris(services, wanted, (files) =>
      retrying(clearTerms(services), () => write(context, entity, files, existing, isIncomplete)),
    );
  });
}

async function write(
  context: LoadContext,
  entity: PackedEntity,
  files: readonly NewFile[],
  existing: ExistingEntities,
  isIncomplete: boolean,
): Promise<RestoredEntity> {
  const { services, actor } = context;
  const newTargets = files.map((file) => targetOfNew(actor, file));
  const prepared = await prepareAll(context, entity, newTargets, existing);
  const { kind, bundle, draft } = prepared.current;
  const before = [
    ...(entity.type === 'taxonomy_term' ? [unlessNamed(bundle.name, draft.label, existing)] : []),
    ...files.map((file) => insertFile(services, actor, file, true)),
    ...previousRevisions(kind, prepared.former),
  ];
  const after = [...adoptFormer(prepared), ...(isIncomplete ? [noteIncomplete(draft.uuid)] : [])];
  const { head } = await writeNew(services, prepared.current, { before, after, newTargets });
  const known = { type: entity.type, id: head.id, uuid: draft.uuid, bundle: bundle.name, sha256: undefined };
  return {
    entity: known,
    files: files.map(({ id, uuid, ingested }) => ({
      type: 'file',
      id,
      uuid,
      bundle: '',
      sha256: ingested.staged.sha256,
    })),
  };
}

/** Returns statements that make paragraphs of earlier revisions belong to the entity, too. */
function adoptFormer({ former, current }: PreparedEntity): Statement[] {
  const { kind } = current;
  const rows = former.flatMap((revision) => referenceRows(kind, revision));
  const present = new Set(referenceRows(kind, current).map(([, , type, id]) => `${type} ${id}`));
  const left = rows.filter(([, , type, id]) => !present.has(`${type} ${id}`));
  return adoptParagraphs(kind, current.draft, left);
}

/** The revisions of an entity to write. */
interface PreparedEntity {
  readonly former: readonly ContentPlan[];
  readonly current: ContentPlan;
}

/** Decides all revisions of an entity. Throws PackageRefused. */
async function prepareAll(
  context: LoadContext,
  { type, path, revisions }: PackedEntity,
  newTargets: readonly ReturnType<typeof targetOfNew>[],
  existing: ExistingEntities,
): Promise<PreparedEntity> {
  const prepared: ContentPlan[] = [];
  try {
    for (const [index, document] of revisions.entries()) {
      const isFormer = index < revisions.length - 1;
      prepared.push(await prepareRevision(context, context.kinds[type], document, { existing, newTargets, isFormer }));
    }
  } catch (error) {
    if (!(error instanceof PackageRefused)) throw error;
    throw new PackageRefused(...error.problems.map((problem) => within(path, problem)));
  }
  return { former: prepared.slice(0, -1), current: prepared[prepared.length - 1] as ContentPlan };
}

const failIfNamed = prepare((term: Named<{ bundle: string; folded: string; until: number }>) => {
  const { bundle, foldedLabel, id } = terms;
  const isNewer = and(eq(bundle, term.bundle), eq(foldedLabel, term.folded), gt(id, term.until));
  return failIf('taken', exists(query.select({ id }).from(terms).where(isNewer)));
});

/** Returns the statement that fails the transaction if a term of that name was created meanwhile: it may be the same. */
function unlessNamed(bundle: string, name: string, { termsUntil: until }: ExistingEntities): Statement {
  return failIfNamed({ bundle, folded: foldLabel(name), until });
}

/** Stores the bytes of a file, or nothing if it throws: PackageRefused for wrong bytes, and errors of reading the package. */
async function stageFile({ store, content, sha256, filesize }: FileFacts, signal: AbortSignal): Promise<IngestedBytes> {
  const upload = { body: content.file.open(), declaredBytes: undefined, digests: [], maxBytes: filesize, signal };
  const wrong = (message: string) => new PackageRefused({ path: content.path, message });
  let ingested: IngestedBytes;
  try {
    ingested = await ingest(store, upload);
  } catch (error) {
    if (error instanceof ServiceError && error.kind === 'too-large')
      throw wrong(`It has more bytes than its record says (${filesize}).`);
    // `client-gone` means that the package could not be read, so that its cause is the error to report.
    if (error instanceof ServiceError && error.kind === 'client-gone' && error.cause !== undefined) throw error.cause;
    throw error;
  }
  const digest = ingested.staged.sha256;
  if (digest === sha256) return ingested;
  await ingested.staged.discard();
  throw wrong(`Its bytes have the SHA-256 ${digest}; its record says ${sha256}.`);
}

/**
 * Adds the missing references to the revisions of a node that was created without them. Returns false, and writes
 * nothing, if the node was changed meanwhile. Throws PackageRefused.
 */
export function completeNode(
  context: LoadContext,
  node: PackedEntity,
  known: ExistingEntity,
  existing: ExistingEntities,
): Promise<boolean> {
  const { services, kinds } = context;
  return retrying(clearTerms(services), async () => {
    const [content] = await readContent(context, 'node', [known.id]);
    if (content === undefined || content.head.version !== FIRST_VERSION) {
      await services.database.write([noteComplete(known.uuid)]);
      return false;
    }
    const prepared = await prepareAll(context, node, [], existing);
    const stored = open(content).draft;
    const { id, revisionId, alias, aliasId } = stored;
    const draft = { ...prepared.current.draft, id, revisionId, alias, aliasId, version: FIRST_VERSION + 1 };
    const after = [
      ...rewritePreviousRevisions(kinds.node, id, prepared.former),
      ...adoptFormer(prepared),
      noteComplete(known.uuid),
    ];
    await writeOver(services, content, stored, { ...prepared.current, draft }, { after, keepsRevision: true });
    return true;
  });
}
