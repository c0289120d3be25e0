import { streamOf } from '../../storage/read-source.ts';
import { type Schemes, type StoredFile, storageOf } from './scheme.ts';

/** Yields the text of a stored file in UTF-8, in parts. Throws `storage-failed` for a missing file. */
export async function* storedText(
  services: Schemes,
  file: StoredFile & { readonly storageKey: string; readonly bytes: number },
): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  const body = await storageOf(services, file).storage.read(file.storageKey, undefined, file.bytes);
  for await (const chunk of streamOf(body)) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}
