import { dirname, join, resolve } from 'node:path';
import { ServiceError } from '../../base/errors.ts';
import type { BagSender } from '../bagit/bag-info.ts';
import { type BagOptions, bagNameOf, holdsSamePayload, writeBag } from '../bagit/write-bag.ts';
import { isThere, requireFolder } from '../files/durable-files.ts';
import { type Package, PackageError } from '../files/package.ts';
import { clearUnfinished } from '../files/work-folder.ts';
import { openOcflRoot } from '../ocfl/ocfl-root.ts';
import { writeOcflObject } from '../ocfl/write-object.ts';
import { packageOf } from '../package/package-of.ts';
import type { LoadContext } from '../table/table-options.ts';
import { countUnexported } from './count-unexported.ts';
import { type ExportSummary, ExportTally, type ExportWatch } from './export-report.ts';
import type { SelectedNodes } from './select-nodes.ts';

export interface PackageExport {
  readonly format: 'bag' | 'ocfl';
  readonly folder: string;
  /** The program that writes the packages, such as `repo 1.2.0`. */
  readonly agent: string;
  /** The sender of bags. */
  readonly sender: BagSender;
}

/**
 * Writes each node as a package: a bag, or an object in an OCFL storage root. Skips packages that exist in the same
 * state. A node that cannot be exported is a problem, and does not stop the others. Throws PackageError for an unusable
 * folder, the reason of the abort, and errors of the system.
 */
export async function exportPackages(
  context: LoadContext,
  selected: SelectedNodes,
  { format, folder, agent, sender }: PackageExport,
  watch: ExportWatch,
): Promise<ExportSummary> {
  const { signal } = watch;
  await requireFolder(dirname(resolve(folder)));
  const tally = new ExportTally(watch, await selected.count());
  const write = await writerOf();
  for await (const ids of selected.batches()) {
    for (const id of ids) {
      signal.throwIfAborted();
      try {
        const exported = await exportNode(context, id, write);
        for (const file of exported.versions.at(-1)?.files.values() ?? []) tally.addFile(file.bytes);
        tally.addNode();
      } catch (error) {
        if (!isOfNode(error)) throw error;
        tally.addProblem(id, error.message);
      }
    }
  }
  await countUnexported(context, selected, tally);
  return tally.summary(true);

  async function writerOf(): Promise<WritePackage> {
    if (format === 'ocfl') {
      const root = await openOcflRoot(folder);
      return (exported) => writeOcflObject(root, exported, signal);
    }
    const bags = resolve(folder);
    await clearUnfinished(bags);
    return (exported, id) => {
      const now = new Date();
      const ofNode = { ...sender, internalSenderIdentifier: `node/${id}` };
      return writeOneBag(bags, exported, { agent, sender: ofNode, now, signal });
    };
  }
}

/** Writes the package of a node with its id. */
type WritePackage = (exported: Package, id: number) => Promise<unknown>;

/** Writes the package of a node. Tries again if the node was changed meanwhile. */
async function exportNode(context: LoadContext, id: number, write: WritePackage): Promise<Package> {
  const exported = await packageOf(context, id);
  try {
    await write(exported, id);
    return exported;
  } catch (error) {
    if (!isOfNode(error)) throw error;
    const now = await packageOf(context, id);
    if (stateOf(now) === stateOf(exported)) throw error;
    await write(now, id);
    return now;
  }
}

function stateOf({ versions }: Package): string {
  return JSON.stringify(Array.from(versions.at(-1)?.files ?? [], ([path, { sha256 }]) => [path, sha256]));
}

async function writeOneBag(root: string, exported: Package, options: BagOptions): Promise<void> {
  const target = join(root, bagNameOf(exported.identifier));
  if (!(await isThere(target))) {
    await writeBag(target, exported, options);
    return;
  }
  if (await holdsSamePayload(target, exported)) return;
  throw new PackageError(`${target} exists with another state. Remove it, or name another folder.`);
}

/** Returns true for an error of one node; false for errors of the disk or the store. */
function isOfNode(error: unknown): error is Error {
  if (error instanceof PackageError) return true;
  return error instanceof ServiceError && (error.kind === 'storage-failed' || error.kind === 'not-found');
}
