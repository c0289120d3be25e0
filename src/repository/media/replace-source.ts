import type { InStatement } from '@libsql/client';
import { and, eq, sql } from 'drizzle-orm';
import { ServiceError, unprocessable } from '../../base/errors.ts';
import { query } from '../../database/query-builder.ts';
import { type FileRow, files } from '../../database/schema/files.ts';
import { requireOne } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import type { FieldValues, Item, MediaType } from '../../model/content-model.ts';
import type { Actor } from '../actor.ts';
import type { Draft } from '../content/base-field.ts';
import { type Content, open } from '../content/content.ts';
import { fillFields, forgetFilledText } from '../content/fill/fill-from-source.ts';
import { findTargets, type Target, Targets } from '../content/fill/targets.ts';
import type { Services } from '../content/services.ts';
import { announceBytes, NO_CHANGE } from '../content/write/announce-source.ts';
import { nextDraft } from '../content/write/decide-content.ts';
import { noticesOf, settleOutdated } from '../content/write/outdated.ts';
import { requireChangeableCopy } from '../content/write/require-changeable-copy.ts';
import { writeOver } from '../content/write/save-content.ts';
import { CAPTIONS_TYPE, captionsProblemIn } from '../files/check-captions.ts';
import { recordDiscarded } from '../files/discarded.ts';
import { recognizedTypeOf } from '../files/file-rows.ts';
import { typeOfFile } from '../files/file-type.ts';
import type { FileEntity, FindFile } from '../files/find-file.ts';
import type { IngestedBytes } from '../files/ingest.ts';
import { schemeNamedBy, storedInOf, storeForNew, storeOf } from '../files/scheme.ts';
import { retrying } from '../retrying.ts';
import { sourceFieldOf } from './attach-file.ts';

interface Replacement {
  readonly actor: Actor;
  readonly ingested: IngestedBytes;
  readonly filemime: string;
  readonly findFile: FindFile;
  readonly read: () => Promise<Content>;
  readonly check: (content: Content) => void;
  /** The first statements of the transaction. */
  readonly before: readonly InStatement[];
  /** The actions that created a derivative. */
  readonly chain: readonly string[];
  /** Called after the commit with each sentence for the person who replaces the file. */
  readonly note?: ((notice: string) => void) | undefined;
}

/** Returns the source file of a media. Throws `conflict` if it was deleted. */
export async function sourceFile(media: Content, findFile: FindFile): Promise<FileEntity> {
  const field = sourceFieldOf(media.bundle as MediaType);
  const id = open(media).values[field.name]?.[0]?.target_id;
  const file = typeof id === 'number' ? await findFile.byId(id) : undefined;
  if (file) return file;
  throw new ServiceError('conflict', `The media has no file to replace: ${field.name} is empty.`);
}

type NewBytes = Pick<
  FileRow,
  | ('filemime' | 'recognizedType' | 'filesize' | 'storageKey' | 'storedIn' | 'width' | 'height')
  | ('sha256' | 'madeBy' | 'changed' | 'id' | 'version')
>;

const updateFile = prepare((file: Named<NewBytes>) => {
  const { filemime, recognizedType, filesize, storageKey, storedIn, width, height, sha256, madeBy, changed } = file;
  const facts = { filemime, recognizedType, filesize, storageKey, storedIn, width, height, sha256, madeBy, changed };
  return query
    .update(files)
    .set({ ...facts, version: sql`${files.version} + 1` })
    .where(and(eq(files.id, file.id), eq(files.version, file.version)));
});

/**
 * Replaces the bytes of a media's file: the new object first, then the row, then the old object is removed
 * (decision 90). A crash at any point leaves the old or the new file complete. The caller keeps or discards
 * the new bytes (`keepIf`).
 */
export async function replaceSource(services: Services, replacement: Replacement): Promise<Content> {
  const { actor, ingested, filemime, findFile, chain } = replacement;
  const { staged, store, size } = ingested;
  const { derivatives } = services;
  const badCaptions = filemime === CAPTIONS_TYPE ? await captionsProblemIn(ingested) : undefined;
  if (badCaptions !== undefined) throw unprocessable(badCaptions);
  let replaced: FileEntity['row'] | undefined;
  const content = await retrying(undefined, async () => {
    const current = await replacement.read();
    replacement.check(current);
    if (chain.length === 0)
      await requireChangeableCopy(services.search.uses, actor, current.head.belongsTo, open(current).values);
    const { row } = await sourceFile(current, findFile);
    // The media may have got another file. The store of the old bytes does not matter.
    if (storeForNew(services, schemeNamedBy(services, row.uri)).name !== store.name)
      throw new ServiceError('conflict', 'The file has moved to another store. Try again.');
    replaced = row;
    const facts = {
      filemime,
      recognizedType: recognizedTypeOf(filemime, ingested),
      filesize: staged.bytes,
      storageKey: staged.key,
      storedIn: storedInOf(row.uri, store.name),
      width: size?.width ?? null,
      height: size?.height ?? null,
    };
    const target: Target = { ...row, type: 'file', bundle: '', accessSet: 0, file: { ...row, ...facts } };
    const { draft: stored, values: previous } = open(current);
    const draft = nextDraft(services, actor, current, stored);
    const type = current.bundle as MediaType;
    const values = { ...previous };
    const keepsText = await forgetFilledText(services, type, values, row);
    await fillFileFacts(services, type, draft, values, target, () => false);
    const file = { id: row.id, uri: row.uri, filemime: typeOfFile(facts) };
    const source = { type, values, file, chain, isNew: false };
    // Equal bytes are no change if they are the source of derivatives (spec: rest-behaviour, 9.1 "When"). Other files
    // may be derivatives themselves, for which an equal result counts as newer.
    const isSame = staged.sha256 === row.sha256 && filemime === row.filemime;
    const isUnchanged = isSame && chain.length === 0 && (await derivatives.needsJobs(actor, source));
    const media = { id: draft.id, uuid: draft.uuid, type, values, chain };
    const { statements: after, outdated } = isUnchanged
      ? NO_CHANGE
      : await announceBytes(services, actor, media, file, !isSame);
    const changed = isUnchanged ? row.changed : services.now();
    const before: InStatement[] = [
      ...replacement.before,
      updateFile({
        ...facts,
        sha256: staged.sha256,
        madeBy: chain.at(-1) ?? '',
        changed,
        id: row.id,
        version: row.version,
      }),
      requireOne('stale'),
      recordDiscarded(storeOf(row), row.storageKey),
    ];
    const { kind, bundle } = current;
    const targets = new Targets();
    targets.add(target);
    const decided = { kind, bundle, draft, values, targets };
    const written = await writeOver(services, current, stored, decided, { before, after });
    await settleOutdated(services, outdated);
    for (const notice of noticesOf(written, keepsText, outdated)) replacement.note?.(notice);
    return written;
  });
  if (replaced) services.discards.add(storeOf(replaced), replaced.storageKey);
  return content;
}

/**
 * Updates the facts of the current file (size, MIME type, width, height) in the draft and values of a media that
 * returns to a previous revision: the file may have other bytes now.
 */
export async function refreshFileFacts(
  services: Services,
  type: MediaType,
  draft: Draft,
  values: FieldValues,
): Promise<Targets> {
  const id = values[type.sourceField.name]?.[0]?.target_id;
  if (type.source === 'remote_video' || typeof id !== 'number') return new Targets();
  const targets = await findTargets(services.database, new Map([['file', { ids: new Set([id]), uuids: new Set() }]]));
  const target = targets.get('file', id);
  const mimeField = type.autoFilled.get('mimetype');
  if (target) await fillFileFacts(services, type, draft, values, target, (field) => field !== mimeField);
  return targets;
}

/** Fills the fields from a file (`fillFields`), and sets the size of its image in the source and the thumbnail. */
async function fillFileFacts(
  services: Services,
  type: MediaType,
  draft: Draft,
  values: FieldValues,
  target: Target,
  isSent: (field: string) => boolean,
): Promise<void> {
  if (!target.file) return;
  await fillFields(services, type, draft, values, target, isSent);
  const { name, type: fieldType } = type.sourceField;
  if (fieldType !== 'image') return;
  const { width, height } = target.file;
  const sized = (items: Item[] = []) => items.map((item) => ({ ...item, width, height }));
  values[name] = sized(values[name]);
  if (type.source === 'image') draft.base.thumbnail = sized(draft.base.thumbnail);
}
