import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Libsql from 'libsql';
import { DEFAULT_SERVER_CONFIG } from '../../src/config/server-config.ts';
import { openLocalDatabase } from '../../src/database/local/open-local-database.ts';
import { MARKER_FILE } from '../../src/storage/local/marker.ts';
import { peakRssMb } from '../bench/report.ts';
import { pngHead } from '../support/binaries.ts';
import { copyNode } from '../support/copied-nodes.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { sized } from '../support/size.ts';
import { type StubProcessor, startStubProcessor } from '../support/stub-processor.ts';
import { until } from '../support/until.ts';

const NODES = sized(334, 3_334);
/** Service file, thumbnail and technical metadata of each. */
const JOBS = 3 * NODES;
const MAX_GROWTH_MB = 100;
const MAX_SECONDS = 150;
/** For `clear_refs` (proc(5)): resets the peak of resident memory. */
const RESET_PEAK = '5';

let folder: string;
let stub: StubProcessor;
let repository: ServerProcess | undefined;
beforeAll(async () => {
  folder = await emptyFolder();
  stub = await startStubProcessor(({ found }) => ({ body: found.bytes }));
});
afterAll(async () => {
  await repository?.stop();
  await stub.down();
});

/** Creates a node with an image whose jobs are not started yet. Returns the node's id. */
async function uploadWithoutProcessor(): Promise<number> {
  const server = await startServer({ from: 'source', data: folder });
  const { node, upload } = server.build;
  const id = await node('image', 'A title');
  await upload(id, { uri: 'public://queue.png', bytes: pngHead(1, 1, 'the original') });
  await server.stop();
  return id;
}

/** Copies the node, its media and its jobs. Each copy has files of its own made, by names of their own. */
async function fillQueue(node: number): Promise<void> {
  const database = openLocalDatabase(join(folder, 'repository.db'));
  const { firstNode } = await copyNode(database, node, NODES - 1, 'copy');
  const columns = [
    ...['action', 'pool', 'user_id', 'source_type', 'chain'],
    ...['version', 'state', 'attempts', 'available_at', 'created_at'],
  ];
  const eventId = "substr(j.event_id, 1, 24) || printf('%012d', n.id)";
  await database.write([
    {
      sql: `INSERT INTO derivative_job (${columns}, event_id, node_id, media_id, event)
        SELECT ${columns.map((name) => `j.${name}`)}, ${eventId}, n.id, r.source_id,
          replace(replace(replace(event, j.event_id, ${eventId}), '/node/${node}', '/node/' || n.id),
            '/queue-', '/' || n.id || '-')
        FROM derivative_job j CROSS JOIN node n
          JOIN reference r ON r.target_type = 'node' AND r.target_id = n.id AND r.field = 'field_media_of'
        WHERE n.id >= ${firstNode} AND j.node_id = ${node}`,
      args: [],
    },
  ]);
  await database.close();
}

function rows(sql: string): Record<string, unknown>[] {
  const database = new Libsql(join(folder, 'repository.db'), { readonly: true });
  try {
    return database.prepare(sql).all() as Record<string, unknown>[];
  } finally {
    database.close();
  }
}

const countOf = (sql: string) => Number(Object.values(rows(`SELECT count(*) FROM ${sql}`)[0] ?? {})[0]);

describe(`${JOBS} jobs that are queued at the start`, () => {
  it('are each done once, in limited memory', async () => {
    await fillQueue(await uploadWithoutProcessor());
    expect(countOf("derivative_job WHERE state = 'queued'")).toBe(JOBS);
    const media = countOf('media');
    const derivatives = { ...DEFAULT_SERVER_CONFIG.derivatives, processors: [stub.url], maxConcurrent: 8 };
    const expectedComplaints = ['no baseUrl is configured'];
    repository = await startServer({ data: folder, settings: { derivatives }, expectedComplaints });
    const { pid } = repository;
    const startedAt = performance.now();
    // What the start and the first jobs take is another matter.
    await until(() => stub.calls.length > JOBS / 10, { what: 'the first are done', seconds: 30 });
    await writeFile(`/proc/${pid}/clear_refs`, RESET_PEAK);
    const before = await peakRssMb(pid);
    await until(() => stub.calls.length >= JOBS, { what: 'all are asked for', seconds: MAX_SECONDS });
    await until(() => countOf('derivative_job WHERE ended_at IS NULL') === 0, { what: 'all are done' });
    const seconds = (performance.now() - startedAt) / 1_000;
    const after = await peakRssMb(pid);
    process.stdout.write(
      `${JOBS} jobs in ${seconds.toFixed(1)} s (${Math.round(JOBS / seconds)}/s), memory from ${before} to ${after} MB\n`,
    );
    expect(after - before).toBeLessThan(MAX_GROWTH_MB);
    expect(stub.calls).toHaveLength(JOBS);
    expect([...stub.problems, ...stub.overlaps]).toEqual([]);
    expect(countOf('media')).toBe(media + JOBS);
    expect(countOf("derivative_job WHERE state <> 'done' OR attempts <> 1")).toBe(0);
    const twice = `SELECT a.target_id, b.target_id FROM reference a JOIN reference b USING (source_type, source_id)
      WHERE a.field = 'field_media_of' AND b.field = 'field_media_use' GROUP BY 1, 2 HAVING count(*) > 1`;
    expect(rows(twice)).toEqual([]);
    const objects = await readdir(join(folder, 'files/public'), { recursive: true, withFileTypes: true });
    const files = objects.filter((entry) => entry.isFile() && entry.name !== MARKER_FILE);
    const names = new Set(files.map(({ name }) => name));
    const keys = rows('SELECT DISTINCT storage_key FROM file').map(({ storage_key }) => String(storage_key));
    expect(keys.filter((key) => !names.has(key.split('/').at(-1) as string))).toEqual([]);
    expect(names.size).toBe(keys.length);
    expect(repository.complaints).toEqual([]);
  }, 200_000);
});
