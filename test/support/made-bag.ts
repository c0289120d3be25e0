import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The files of a bag by path in it. */
export type BagFiles = Record<string, string | Buffer>;

/** A bag that is as it must be: one text in it, and manifests of SHA-256. */
export function goodBag(payload: BagFiles = { 'a.txt': 'one', 'deep/b.txt': 'two' }): BagFiles {
  const files: BagFiles = { 'bagit.txt': 'BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n' };
  for (const [path, content] of Object.entries(payload)) files[`data/${path}`] = content;
  const bytes = Object.values(payload).reduce((sum, content) => sum + Buffer.byteLength(content), 0);
  files['bag-info.txt'] = `External-Identifier: some:id\nPayload-Oxum: ${bytes}.${Object.keys(payload).length}\n`;
  files['manifest-sha256.txt'] = manifestOf(files, 'sha256', (path) => path.startsWith('data/'));
  return withTags(files);
}

/** The same with a tag manifest of what is there. */
export function withTags(files: BagFiles): BagFiles {
  const { 'tagmanifest-sha256.txt': _old, ...rest } = files;
  return { ...rest, 'tagmanifest-sha256.txt': manifestOf(rest, 'sha256', (path) => !path.startsWith('data/')) };
}

/** A manifest of some files. */
export function manifestOf(files: BagFiles, algorithm: string, isListed: (path: string) => boolean): string {
  return Object.entries(files)
    .filter(([path]) => isListed(path))
    .map(([path, content]) => `${createHash(algorithm).update(content).digest('hex')}  ${path}\n`)
    .join('');
}

/** Writes files below a folder. */
export async function writeFiles(folder: string, files: BagFiles): Promise<string> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return folder;
}
