import { portableName } from '../package/package-layout.ts';
import { ADDITIONAL_FILES, ALT_TEXT, CHECKSUM, FILE } from '../table/columns.ts';
import type { NodeFile } from './node-files.ts';

/** A file of a node, and where it is in the folder of files. */
export interface PlacedFile {
  readonly file: NodeFile;
  readonly path: string;
}

/** Gives each file of a node a path of its own, `12/page.tif`: one that every disk takes and that a cell can hold. */
export function placeFiles(nodeId: number, files: readonly NodeFile[], subdelimiter: string): PlacedFile[] {
  const taken = new Set<string>();
  return files.map((file) => {
    const name = portableName(file.filename).replaceAll(subdelimiter, '_');
    const isTaken = taken.has(name.toLowerCase());
    const own = isTaken ? `${file.fileId}-${name}` : name;
    taken.add(own.toLowerCase());
    return { file, path: `${nodeId}/${own}` };
  });
}

/** The cells that tell of a node's files: its original file, and the others with their uses. */
export function fileCells(files: readonly PlacedFile[], subdelimiter: string): Map<string, string> {
  const cells = new Map<string, string>();
  const original = files.find(({ file }) => file.isOriginal);
  const others = files.filter((each) => each !== original);
  if (original) {
    cells.set(FILE, original.path);
    cells.set(CHECKSUM, original.file.sha256);
    if (original.file.alt !== undefined) cells.set(ALT_TEXT, original.file.alt);
  }
  if (others.length > 0)
    cells.set(ADDITIONAL_FILES, others.map(({ file, path }) => `${file.use}:${path}`).join(subdelimiter));
  return cells;
}
