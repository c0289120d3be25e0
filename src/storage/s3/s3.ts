import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError } from '../../base/errors.ts';
import { folderNameOf, type ProcessIdentity, thisProcess } from '../../base/process-identity.ts';
import { onDisk } from '../errors.ts';
import { isKey, nameOfKey, requireKey } from '../key.ts';
import { createFile, ensureFolder, ensureFolders, syncFolder, unlinkIfThere } from '../real-folder.ts';
import { keepOrDiscard, recoverStaged } from '../staged-objects.ts';
import type { ListedObject, StagedObject, Storage, UnfinishedUpload } from '../storage.ts';
import { createS3Bucket, type S3Bucket, type S3BucketOptions } from './bucket.ts';
import type { S3Config } from './config.ts';
import { isStatus, S3Failure } from './failure.ts';

export interface S3StorageOptions extends S3BucketOptions {
  /** A folder of this machine for notes about uploads under way; each store has its own. */
  stagingFolder: string;
  /** The process that uploads. */
  process?: ProcessIdentity;
  /** Called once if the store lacks a feature. */
  warn(message: string): void;
}

/**
 * Creates a store in a bucket of an S3 server: objects are `<prefix><shard>/<name>`. Sends no request: a server that is
 * away now serves when it is back. Throws `storage-failed` if the staging folder cannot be made.
 */
export async function createS3Storage(config: S3Config, options: S3StorageOptions): Promise<Storage> {
  const bucket = createS3Bucket(config, options);
  const self = options.process ?? thisProcess();
  const staging = await createS3Staging(options.stagingFolder, self);
  const warnOnce = once(options.warn);
  return {
    put: async (key, source, signal) => putObject(requireKey(key), source, signal, { bucket, staging }),
    read: async (key, range, bytes) => bucket.read(requireKey(key), range, bytes),
    stat: async (key) => bucket.stat(requireKey(key)),
    remove: async (key) => bucket.remove(requireKey(key)),
    list: () => listKeys(bucket),
    listUnfinished: (before) => listUnfinished(bucket, before, warnOnce),
    presign: async (key, headers, seconds) => bucket.presign(requireKey(key), headers, seconds),
    recover: (isReferred) =>
      recoverStaged(
        {
          incoming: options.stagingFolder,
          self,
          // Only whole objects are ever in a bucket.
          place: async () => undefined,
          async remove({ key, path }) {
            const uploadId = await uploadIn(path);
            if (uploadId !== undefined) await bucket.abortUpload(key, uploadId);
            await bucket.remove(key);
          },
        },
        isReferred,
      ),
    check: bucket.check,
  };
}

async function putObject(
  key: string,
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
  { bucket, staging }: { bucket: S3Bucket; staging: S3Staging },
): Promise<StagedObject> {
  signal?.throwIfAborted();
  const note = await staging.note(key);
  const upload = bucket.beginUpload(key, note.addUpload);
  const removeAll = async () => {
    // In this order: as long as the note exists, the next start completes an interrupted removal.
    await upload.undo();
    await note.remove();
  };
  try {
    const stored = await upload.run(source, signal);
    return { key, ...stored, ...keepOrDiscard(removeAll, note.remove) };
  } catch (error) {
    await removeAll().catch((leftover: unknown) => {
      // The caller receives the reason of the upload. Objects that could not be removed still have a note, by which
      // the next start removes them.
      if (!(leftover instanceof ServiceError)) throw leftover;
    });
    throw error;
  }
}

async function* listKeys(bucket: S3Bucket): AsyncGenerator<ListedObject, void, void> {
  for await (const { name, bytes, modified } of bucket.list()) {
    if (isKey(name)) yield { key: name, bytes, modified };
  }
}

async function* listUnfinished(
  bucket: S3Bucket,
  before: Date,
  warn: (message: string) => void,
): AsyncGenerator<UnfinishedUpload, void, void> {
  try {
    for await (const { name, uploadId, begun } of bucket.listUploads()) {
      // The age of one without a time is unknown.
      if (!isKey(name) || !(begun < before)) continue;
      yield { name: `upload of ${name}`, modified: begun, remove: () => bucket.abortUpload(name, uploadId) };
    }
  } catch (error) {
    if (!isUnknownRequest(error)) throw error;
    warn('the S3 server cannot list unfinished uploads: let a rule of the bucket remove those that are old');
  }
}

function isUnknownRequest(error: unknown): boolean {
  const refusal = error instanceof ServiceError ? error.cause : undefined;
  return refusal instanceof S3Failure && (isStatus(refusal, 405, 501) || refusal.code === 'NotImplemented');
}

function once(tell: (message: string) => void): (message: string) => void {
  let isTold = false;
  return (message) => {
    if (!isTold) tell(message);
    isTold = true;
  };
}

/** The notes of a process, on this machine, about the objects that it is uploading: for the clean-up after its end. */
interface S3Staging {
  /** Notes durably that an object is being uploaded. Throws `storage-failed`. */
  note(key: string): Promise<StagingNote>;
}

interface StagingNote {
  /** Notes the upload in parts that was begun for it. */
  addUpload(uploadId: string): Promise<void>;
  remove(): Promise<void>;
}

/** Creates the notes: files `<folder>/<process>/<name of the key>` with the id of the upload in parts, if it has one. */
async function createS3Staging(folder: string, self: ProcessIdentity): Promise<S3Staging> {
  const toDisk = <T>(work: () => Promise<T>) => onDisk('The file could not be stored.', work);
  await onDisk('The file store cannot be used.', () => ensureFolders(folder));
  const own = join(folder, folderNameOf(self));
  return {
    note: (key) =>
      toDisk(async () => {
        const path = join(own, nameOfKey(key));
        await ensureFolder(folder);
        await ensureFolder(own);
        await (await createFile(path)).close();
        await syncFolder(own);
        return {
          addUpload: (uploadId) => toDisk(() => writeFile(path, uploadId)),
          remove: async () => void (await unlinkIfThere(path)),
        };
      }),
  };
}

/** Returns the id of the upload in parts that a note names, if it names one. */
async function uploadIn(note: string): Promise<string | undefined> {
  return (await readFile(note, 'utf8')) || undefined;
}
