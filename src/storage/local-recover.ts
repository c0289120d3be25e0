import { link } from 'node:fs/promises';
import type { ProcessIdentity } from '../base/process-identity.ts';
import type { LocalLayout } from './local-layout.ts';
import { ensureFolder, entryAt, isRealFolder, syncFolder, unlinkIfThere } from './real-folder.ts';
import type { RecoverOptions, Staged } from './recover-staged.ts';

/** How `recoverStaged` clears up in the folder of a local store. */
export function localRecovery(layout: LocalLayout, self: ProcessIdentity): RecoverOptions {
  return {
    incoming: layout.incoming,
    self,
    place: (staged) => ensurePlaced(staged, layout),
    remove: async ({ key }) => {
      if (await isRealFolder(layout.shardOf(key))) await unlinkIfThere(layout.objectAt(key));
    },
  };
}

/** The staged name may be all that a damaged file system has left of a file that a row names. */
async function ensurePlaced({ path, key, isMarker }: Staged, layout: LocalLayout): Promise<void> {
  const target = layout.objectAt(key);
  const shard = layout.shardOf(key);
  if (isMarker || ((await isRealFolder(shard)) && (await entryAt(target)) !== undefined)) return;
  await ensureFolder(shard);
  await link(path, target);
  await syncFolder(shard);
}
