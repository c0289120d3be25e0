import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openLocalDatabase } from '../../src/database/local/open-local-database.ts';
import { createMedia, pngHead } from './binaries.ts';
import { countIn, outcomeOf } from './command-outcome.ts';
import { copyNode } from './copied-nodes.ts';
import { emptyFolder } from './empty-folder.ts';
import { EXECUTABLE } from './server-process.ts';
import { copyStopped } from './test-repository.ts';

const ENV = { PATH: '/nonexistent' };

/** A data folder with many images of which nothing has been made, for the executable to scan. */
export type FolderToScan = Awaited<ReturnType<typeof createFolderToScan>>;

/** Creates a data folder with one image and `copies` of it. */
export async function createFolderToScan(copies: number) {
  const folder = await emptyFolder();
  let node = 0;
  await copyStopped(folder, async (repository) => {
    const made = await repository.node();
    node = made.nid[0].value;
    await createMedia(repository, { node: made, uri: 'public://a.png', body: pngHead(3, 4, 'a') });
    await copyNode(repository.running.services.database, node, copies, 'copy');
  });
  const database = openLocalDatabase(join(folder, 'repository.db'));

  function start(...args: string[]) {
    const command = [EXECUTABLE, 'derivatives', 'scan', '--data', folder, ...args];
    return Bun.spawn(command, { env: ENV, stdout: 'pipe', stderr: 'pipe' });
  }

  const count = (sql: string) => countIn(database, sql);

  return {
    node,
    database,
    /** The number of derivatives of all images. */
    all: 4 * (copies + 1),
    /** Begins a scan by the command. */
    start,
    end: outcomeOf,
    repo: (...args: string[]) => outcomeOf(start(...args)),
    count,
    jobs: () => count('SELECT count(*) FROM derivative_job'),
    isUnderWay: async () =>
      (await count(
        "SELECT count(*) FROM run WHERE kind = 'scan' AND progress ->> 'position' > 0 AND ended_at IS NULL",
      )) === 1,
    /** Forgets every job and scan. */
    async forget() {
      await database.write(
        ['derivative_job', "run WHERE kind = 'scan'", 'derivative_scan_count'].map((rows) => `DELETE FROM ${rows}`),
      );
    },
    async remove() {
      await database.close();
      await rm(folder, { recursive: true });
    },
  };
}
