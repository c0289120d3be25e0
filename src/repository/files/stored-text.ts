import { streamOf } from '../../storage/read-source.ts';
import { type Schemes, type StoredFile, storageOf } from './scheme.ts';

/** The maximum size of a part: other requests may proceed between two parts. */
const PART_BYTES = 64 * 1024;

/** Yields the text of a stored file in UTF-8, in parts. Throws `storage-failed` for a missing file. */
export async function* storedText(
  services: Schemes,
  file: StoredFile & { readonly storageKey: string; readonly bytes: number },
): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  const body = await storageOf(services, file).storage.read(file.storageKey, undefined, file.bytes);
  for await (const chunk of streamOf(body))
    for (let start = 0; start < chunk.byteLength; start += PART_BYTES)
      yield decoder.decode(chunk.subarray(start, start + PART_BYTES), { stream: true });
  yield decoder.decode();
}
