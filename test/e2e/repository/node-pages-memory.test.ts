import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { peakRssMb } from '../../bench/report.ts';
import { rawHead } from '../../support/binaries.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import { openBesideServer } from '../../support/open-beside-server.ts';
import { pause } from '../../support/pause.ts';
import { type ServerProcess, startServer } from '../../support/server-process.ts';
import { until } from '../../support/until.ts';

const PAGES = 10_000;
const PAGE_BYTES = 96 * 1024 + 5;
/** The size of the blocks of a tar. */
const BLOCK_BYTES = 512;
const MAX_GROWTH_MB = 64;
/** For `clear_refs` (proc(5)): resets the peak of resident memory. */
const RESET_PEAK = '5';
/** What slow readers read. */
const READ_BYTES = 2 * 1024 * 1024;

let folder: string;
let repository: ServerProcess;
let book: number;
beforeAll(async () => {
  folder = await emptyFolder();
  repository = await startServer({ from: 'source', data: folder });
  book = await make();
  const page = await make(book);
  const path = `/node/${page}/media/image/${await repository.build.termId('http://pcdm.org/use#OriginalFile')}`;
  const headers = { 'Content-Type': 'image/jpeg', 'Content-Location': 'public://page.jpg' };
  const put = await repository.fetch(path, { method: 'PUT', body: new Uint8Array(PAGE_BYTES).fill(65), headers });
  expect(put.status).toBe(201);
  await repository.stop();
  copyPage(page);
  repository = await startServer({ from: 'source', data: folder });
  // A first transfer, after which what start and password have taken is given back; from there on the peak counts.
  await read(200);
  await writeFile(`/proc/${repository.pid}/clear_refs`, RESET_PEAK);
}, 60_000);
afterAll(async () => {
  await repository.stop();
});

const make = (memberOf?: number): Promise<number> =>
  repository.build.node('page', 'x', memberOf === undefined ? {} : { field_member_of: [memberOf] });

/** Makes all other pages as copies of one, rows and references: of nodes and media, all with the same file. */
function copyPage(page: number): void {
  const database = openBesideServer(join(folder, 'repository.db'));
  const media = database
    .prepare("SELECT source_id id FROM reference WHERE field = 'field_media_of' AND target_id = ?")
    .get(page) as { id: number };
  const copies = `WITH RECURSIVE copy(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM copy WHERE number < ${PAGES - 1})`;
  database.exec('BEGIN');
  for (const [table, id] of [
    ['node', page],
    ['media', media.id],
  ] as const) {
    const columns = (database.prepare(`SELECT name FROM pragma_table_info('${table}')`).all() as { name: string }[])
      .map(({ name }) => name)
      .filter((name) => name !== 'id' && name !== 'uuid');
    database.exec(`${copies} INSERT INTO ${table} (id, uuid, ${columns})
      SELECT ${id} + copy.number, uuid || copy.number, ${columns} FROM copy, ${table} WHERE ${table}.id = ${id}`);
    database.exec(`${copies} INSERT INTO reference
      SELECT source_type, source_id + copy.number, field, delta, target_type,
        target_id + iif(field = 'field_media_of', copy.number, 0), weight FROM copy, reference
      WHERE source_type = '${table}' AND source_id = ${id}`);
  }
  database.exec('COMMIT');
  database.close();
}

/** Reads at most `count` pages and returns the number of bytes. */
async function read(pages = Number.POSITIVE_INFINITY): Promise<number> {
  const response = await repository.fetch(`/node/${book}/pages`);
  expect(response.status).toBe(200);
  let bytes = 0;
  for await (const chunk of response.body as ReadableStream<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > pages * PAGE_BYTES) break;
  }
  return bytes;
}

describe(`a book of ${PAGES} pages`, () => {
  it('is sent whole in limited memory', async () => {
    const before = await peakRssMb(repository.pid);
    const entryBytes = BLOCK_BYTES + Math.ceil(PAGE_BYTES / BLOCK_BYTES) * BLOCK_BYTES;
    expect(await read()).toBe(PAGES * entryBytes + 2 * BLOCK_BYTES);
    expect((await peakRssMb(repository.pid)) - before).toBeLessThan(MAX_GROWTH_MB);
  }, 120_000);

  it('waits for slow readers in limited memory', async () => {
    await writeFile(`/proc/${repository.pid}/clear_refs`, RESET_PEAK);
    const before = await peakRssMb(repository.pid);
    const readers = Array.from({ length: 8 }, slowReader);
    await until(() => readers.every(({ bytes }) => bytes() > READ_BYTES));
    for (const reader of readers) reader.socket.destroy();
    for (const { bytes } of readers) {
      expect(bytes()).toBeGreaterThan(0);
      expect(bytes()).toBeLessThan((PAGES * PAGE_BYTES) / 4);
    }
    expect((await peakRssMb(repository.pid)) - before).toBeLessThan(MAX_GROWTH_MB);
    expect((await repository.fetch('/healthcheck')).status).toBe(200);
    expect(repository.complaints.join('')).not.toContain('broke off');
  }, 30_000);
});

/** Takes a little at a time. */
function slowReader() {
  const socket = connect(Number(new URL(repository.url).port), '127.0.0.1');
  let bytes = 0;
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.byteLength;
    socket.pause();
    void pause(20).then(() => socket.resume());
  });
  socket.write(rawHead('GET', `/node/${book}/pages`, {}));
  return { socket, bytes: () => bytes };
}
