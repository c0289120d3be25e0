import { CAPTIONS_HEAD_BYTES, captionsProblem } from '../../base/captions.ts';
import type { Storage } from '../../storage/storage.ts';
import type { IngestedBytes } from './ingest.ts';
import { type Schemes, type StoredFile, storageOf } from './scheme.ts';

/** The MIME type of captions. */
export const CAPTIONS_TYPE = 'text/vtt';

/** Returns what is wrong with a stored file as captions. Undefined for WebVTT. Throws `storage-failed` for a missing file. */
export async function captionsProblemOf(
  services: Schemes,
  file: StoredFile & { readonly storageKey: string; readonly filesize: number },
): Promise<string | undefined> {
  return problemIn(storageOf(services, file).storage, file.storageKey, file.filesize);
}

/** Returns what is wrong with bytes that no row refers to yet. Undefined for WebVTT. */
export async function captionsProblemIn({ staged, store }: IngestedBytes): Promise<string | undefined> {
  return problemIn(store.storage, staged.key, staged.bytes);
}

async function problemIn(storage: Storage, key: string, bytes: number): Promise<string | undefined> {
  if (bytes === 0) return captionsProblem(new Uint8Array(0));
  const range = { first: 0, last: Math.min(bytes, CAPTIONS_HEAD_BYTES) - 1 };
  const body = await storage.read(key, range);
  return captionsProblem(await new Response(body).bytes());
}
