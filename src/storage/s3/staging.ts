import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { folderNameOf, type ProcessIdentity } from '../../base/process-identity.ts';
import { onDisk } from '../errors.ts';
import { nameOfKey } from '../key.ts';
import { createFile, ensureFolder, ensureFolders, syncFolder, unlinkIfThere } from '../local/real-folder.ts';

/** The notes of a process, on this machine, about the objects that it is uploading: for the clean-up after its end. */
export interface S3Staging {
  /** Notes durably that an object is being uploaded. Throws `storage-failed`. */
  note(key: string): Promise<StagingNote>;
}

export interface StagingNote {
  /** Notes the upload in parts that was begun for it. */
  addUpload(uploadId: string): Promise<void>;
  remove(): Promise<void>;
}

/** Creates the notes: files `<folder>/<process>/<name of the key>` with the id of the upload in parts, if it has one. */
export async function createS3Staging(folder: string, self: ProcessIdentity): Promise<S3Staging> {
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
export async function uploadIn(note: string): Promise<string | undefined> {
  return (await readFile(note, 'utf8')) || undefined;
}
