import { ServiceError } from '../base/errors.ts';
import { packTar, type TarEntry } from '../base/tar.ts';
import type { Actor } from '../repository/actor.ts';
import type { FindFile } from '../repository/files/find-file.ts';
import { storageOf } from '../repository/files/scheme.ts';
import type { JobServices } from './job-planner.ts';
import { listPages, type PageFile } from './list-pages.ts';

export interface PackParts {
  readonly services: JobServices;
  readonly findFile: FindFile;
}

/**
 * The pages of a node that the actor may see as a tar archive (`listPages`). Throws `storage-failed` for a file that
 * cannot be read whole: the archive is then without its end.
 */
export function packPages(parts: PackParts, actor: Actor, nodeId: number): AsyncGenerator<Uint8Array, void, void> {
  return packTar(entries(parts, actor, nodeId));
}

async function* entries(parts: PackParts, actor: Actor, nodeId: number): AsyncGenerator<TarEntry> {
  for await (const page of listPages(parts.services, actor, nodeId)) {
    const found = await current(parts, page);
    const { name, bytes, changed, storageKey } = found;
    const { storage } = storageOf(parts.services, found);
    yield { name, bytes, modified: changed, open: () => storage.read(storageKey) };
  }
}

/** The page with bytes that are there: those of its row may have been replaced since that was read. */
async function current({ services, findFile }: PackParts, page: PageFile): Promise<PageFile> {
  const { storage } = storageOf(services, page);
  if ((await storage.stat(page.storageKey))?.bytes === page.bytes) return page;
  const row = (await findFile.byId(page.fileId))?.row;
  // Another type would need another name, and another key is one that there is.
  if (row?.filemime === page.mimeType && row.storageKey !== page.storageKey)
    return {
      ...page,
      bytes: row.filesize,
      changed: row.changed,
      storageKey: row.storageKey,
      storedIn: row.storedIn,
    };
  throw new ServiceError('storage-failed', 'The content of a page cannot be read at present.', {
    cause: `${page.uri}: there are not the ${page.bytes} bytes that it should have`,
  });
}
