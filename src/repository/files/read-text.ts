import { readLimited } from '../../base/read-limited.ts';
import type { TargetFile } from '../content/targets.ts';
import type { Services } from '../services.ts';
import { storageOf } from './scheme.ts';

/** A longer text stays in its file alone: a field is read with every answer. */
const MAX_TEXT_BYTES = 2 * 1024 * 1024;

/** The content of a text file; undefined for one that is too long, or no text in UTF-8. */
export async function readText(services: Services, file: TargetFile): Promise<string | undefined> {
  if (file.filesize > MAX_TEXT_BYTES || !/^text\/|[/+](json|xml|html)$/.test(file.filemime)) return undefined;
  const body = await storageOf(services, file).storage.read(file.storageKey);
  const text = await readLimited(body instanceof Blob ? body.stream() : body, MAX_TEXT_BYTES);
  return /[\0\uFFFD]/.test(text) ? undefined : text;
}
