import { describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import Libsql from 'libsql';
import { createLog } from '../../src/base/log.ts';
import { DEFAULT_SERVER_CONFIG } from '../../src/config/server-config.ts';
import { backUpRepository } from '../../src/server/back-up-repository.ts';
import { openStores } from '../../src/server/open-stores.ts';
import { restoreRepository } from '../../src/server/restore-repository.ts';
import type { Manifest } from '../../src/upkeep/backup/manifest.ts';
import { audit } from '../support/audit.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { createLoadClients } from '../support/kill-load.ts';
import { createRandom } from '../support/random.ts';
import { compareRepositories } from '../support/same-repository.ts';
import { startServer } from '../support/server-process.ts';
import { sized } from '../support/size.ts';
import { until } from '../support/until.ts';

const BACKUPS = sized(1, 3);
const CLIENTS = 4;
/** What each client has done before the first backup. */
const MIN_ANSWERED = 40;
/** Long enough for much of what a snapshot names to be replaced and deleted before it is copied. */
const BACKUP_SECONDS = 4;

const folder = await emptyFolder();
const log = createLog({ level: 'silent', format: 'json' });
const data = join(folder, 'data');
const place = join(folder, 'place');
const configOf = (dataFolder: string) => ({ ...DEFAULT_SERVER_CONFIG, dataFolder });
const usual = { address: place, onProgress() {}, signal: new AbortController().signal };

function backUp(bytesPerSecond?: number): Promise<Manifest> {
  return backUpRepository(configOf(data), { ...usual, isRechecked: false, bytesPerSecond }, log);
}

async function restore(backup: string): Promise<string> {
  const to = join(folder, backup);
  const request = { ...usual, backup, acceptsLoss: false, bytesPerSecond: undefined };
  expect((await restoreRepository(configOf(to), request, log)).isDone).toBe(true);
  return to;
}

describe('a backup under constant writes', () => {
  it('is consistent, and releases deleted objects when it ends', async () => {
    const random = createRandom(5);
    const server = await startServer({ from: 'source', data });
    const clients = await createLoadClients(server, random, CLIENTS);
    const works = clients.map((client) => client.work(server));
    await until(() => clients.every(({ answered }) => answered > MIN_ANSWERED));
    const counts = { backups: 0, rows: 0, files: 0, bytes: 0, heldObjects: 0, added: 0 };
    for (let count = 0; count < BACKUPS; count++) {
      const bytes = Math.max(1, Number(look("SELECT sum(filesize) FROM file WHERE uri NOT LIKE '%generic.png'")));
      const watching = { most: 0 };
      const timer = setInterval(() => {
        watching.most = Math.max(watching.most, Number(look('SELECT count(*) FROM discarded_object')));
      }, 50);
      // What the first has copied is not copied again.
      const { backup, damaged, files } = await backUp((count === 0 ? bytes : bytes / 4) / BACKUP_SECONDS);
      clearInterval(timer);
      expect(damaged).toEqual([]);
      const restored = await restore(backup);
      expect(await audit(restored, true)).toEqual([]);
      counts.backups += 1;
      counts.files += files.count;
      counts.bytes += files.bytes;
      counts.added += files.added;
      counts.heldObjects += watching.most;
      counts.rows += rowsIn(restored);
    }
    expect(counts.heldObjects).toBeGreaterThan(BACKUPS);
    // They were held for the backup, and go now though the server is busy.
    await until(() => oldestDiscarded(20) === 0, { seconds: 25 });
    await server.stop();
    await Promise.all(works);
    expect(server.complaints).toEqual([]);

    const last = await backUp();
    const restored = await restore(last.backup);
    const stores = await Promise.all([data, restored].map(storesOf));
    const databases = [join(data, 'repository.db'), join(restored, 'repository.db')] as const;
    const compared = await compareRepositories(databases, [stores[0] ?? new Map(), stores[1] ?? new Map()]);
    expect(compared.differences).toEqual([]);
    expect(compared.files).toBe(last.files.count);
    const answered = clients.reduce((sum, client) => sum + client.answered, 0);
    console.log(
      `under load, ${answered} writes answered: ${JSON.stringify(counts)}; at rest: ${JSON.stringify(compared)}`,
    );
    expect(answered).toBeGreaterThan(100);
  }, 180_000);
});

function look(sql: string): unknown {
  const database = new Libsql(join(data, 'repository.db'), { readonly: true });
  try {
    return (database.prepare(sql).raw(true).get() as unknown[] | undefined)?.[0];
  } finally {
    database.close();
  }
}

/** Counts the remaining first discarded objects; new ones are added all the time. */
const firstDiscarded: string[] = [];
function oldestDiscarded(count: number): number {
  if (firstDiscarded.length === 0)
    firstDiscarded.push(
      ...JSON.parse(
        String(
          look(
            `SELECT json_group_array(storage_key) FROM (SELECT storage_key FROM discarded_object ORDER BY rowid LIMIT ${count})`,
          ),
        ),
      ),
      'none',
    );
  return Number(
    look(
      `SELECT count(*) FROM discarded_object WHERE storage_key IN (${firstDiscarded.map((key) => `'${key}'`).join(', ')})`,
    ),
  );
}

function rowsIn(dataFolder: string): number {
  const database = new Libsql(join(dataFolder, 'repository.db'), { readonly: true });
  const tables = ['node', 'media', 'taxonomy_term', 'file', 'node_revision', 'media_revision', 'reference'];
  const counts = tables.map((table) => `(SELECT count(*) FROM ${table})`).join(' + ');
  const [rows] = database.prepare(`SELECT ${counts}`).raw(true).get() as [number];
  database.close();
  return rows;
}

async function storesOf(dataFolder: string) {
  const schemes = await openStores(configOf(dataFolder), log);
  return new Map([...schemes].map(([name, { storage }]) => [name, storage]));
}
