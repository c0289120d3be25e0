import type { InStatement } from '@libsql/client';
import { ServiceError } from '../../base/errors.ts';
import type { FieldValues, Item, MediaType } from '../../model/content-model.ts';
import type { Actor } from '../actor.ts';
import type { Draft } from '../content/base-field.ts';
import { type Content, completeFields, open } from '../content/content.ts';
import { nextDraft, retrying, saveOver } from '../content/save-content.ts';
import type { Target } from '../content/targets.ts';
import { announceBytes } from '../derivatives/announce-source.ts';
import { noteDiscarded } from '../files/discarded.ts';
import type { FileEntity, FindFile } from '../files/find-file.ts';
import { type Ingested, keepIf } from '../files/ingest.ts';
import { schemeNamedBy, storedInOf, storeForNew, storeOf } from '../files/scheme.ts';
import type { Services } from '../services.ts';
import { sourceFieldOf } from './attach-file.ts';
import { fillFields } from './fill-from-source.ts';

export interface Replacement {
  readonly actor: Actor;
  readonly ingested: Ingested;
  readonly filemime: string;
  readonly findFile: FindFile;
  readonly read: () => Promise<Content>;
  readonly check: (content: Content) => void;
  /** Statements of the same transaction that come first. */
  readonly before: readonly InStatement[];
  /** Of media that are derivatives: the actions that made them. */
  readonly chain: readonly string[];
}

/** The file that a media is about. Throws `conflict` for a media that has lost it. */
export async function sourceFile(media: Content, findFile: FindFile): Promise<FileEntity> {
  const field = sourceFieldOf(media.bundle as MediaType);
  const id = open(media).values[field.name]?.[0]?.target_id;
  const file = typeof id === 'number' ? await findFile.byId(id) : undefined;
  if (file) return file;
  throw new ServiceError('conflict', `The media has no file whose content could be replaced: ${field.name} is empty.`);
}

/**
 * Puts other bytes behind a media's file: the new object first, then the row, then the old object goes
 * (decisions: "PUT media, existing"). A crash at any point leaves the old or the new file, whole.
 */
export async function replaceSource(services: Services, replacement: Replacement): Promise<Content> {
  const { actor, ingested, filemime, findFile, chain } = replacement;
  const { staged, store, size } = ingested;
  const { derivatives } = services;
  let replaced: FileEntity['row'] | undefined;
  const content = await keepIf(ingested, () =>
    retrying(undefined, async () => {
      const current = await replacement.read();
      replacement.check(current);
      const { row } = await sourceFile(current, findFile);
      // The media may have got another file. Where the bytes are that go is all the same.
      if (storeForNew(services, schemeNamedBy(services, row.uri)).name !== store.name)
        throw new ServiceError('conflict', 'The file has moved to another storage in the meantime. Try again.');
      replaced = row;
      const facts = {
        filemime,
        filesize: staged.bytes,
        storageKey: staged.key,
        storedIn: storedInOf(row.uri, store.name),
        width: size?.width ?? null,
        height: size?.height ?? null,
      };
      const target: Target = { ...row, type: 'file', bundle: '', file: { ...row, ...facts } };
      const { draft: stored, values: storedValues } = open(current);
      const draft = nextDraft(services, actor, current, stored);
      const type = current.bundle as MediaType;
      const values = await withSource(services, type, draft, storedValues, target);
      const file = { id: row.id, uri: row.uri, filemime };
      const source = { type, values, file, chain, isNew: false };
      // Bytes that were there already are no change for whoever derives from them (spec: rest-behaviour, 9.1 "When"). What
      // nothing is derived from may be a derivative itself: it has come out the same, and is the newer one all the same.
      const isSame = staged.sha256 === row.sha256 && filemime === row.filemime;
      const isUnchanged = isSame && chain.length === 0 && (await derivatives.jobsFor(actor, source)).length > 0;
      const media = { uuid: draft.uuid, type, values, chain };
      const after = isUnchanged ? [] : await announceBytes(services, actor, media, file);
      const before: InStatement[] = [
        ...replacement.before,
        {
          sql: `UPDATE file SET filemime = ?, filesize = ?, storage_key = ?, stored_in = ?, width = ?, height = ?,
            sha256 = ?, changed = ?, version = version + 1 WHERE id = ? AND version = ?`,
          args: [
            ...Object.values(facts),
            staged.sha256,
            isUnchanged ? row.changed : services.now(),
            row.id,
            row.version,
          ],
        },
        { sql: 'INSERT INTO guard (stale) SELECT 1 WHERE changes() <> 1', args: [] },
        noteDiscarded(storeOf(row), row.storageKey),
      ];
      return saveOver(services, current, stored, draft, values, { before, after });
    }),
  );
  if (replaced) services.discards.add(storeOf(replaced), replaced.storageKey);
  return content;
}

/** The values of a media whose file has other bytes now: what is measured of them, in all places. */
async function withSource(
  services: Services,
  type: MediaType,
  draft: Draft,
  values: FieldValues,
  target: Target,
): Promise<FieldValues> {
  const { name, type: fieldType } = sourceFieldOf(type);
  await fillFields(services, type, draft, values, target, () => false);
  if (fieldType === 'image') {
    const sized = (items: Item[] = []) =>
      items.map((item) => ({ ...item, width: target.file?.width ?? null, height: target.file?.height ?? null }));
    values[name] = sized(values[name]);
    if (type.source === 'image') draft.base.thumbnail = sized(draft.base.thumbnail);
  }
  return completeFields(type, values);
}
