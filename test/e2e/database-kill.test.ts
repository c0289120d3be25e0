import { describe, expect, it } from 'bun:test';
import { DEFAULT_SERVER_CONFIG } from '../../src/config/server-config.ts';
import { pause } from '../support/pause.ts';
import { sized } from '../support/size.ts';
import { startSqld } from '../support/sqld.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../support/test-repository.ts';
import { until } from '../support/until.ts';

const WRITERS = 32;
const KILLS = sized(3, 6);
/** From then on, a server is killed at any moment. */
const MAX_PAUSE_MS = 700;

/** A request and its answer: the id of the created entity, or the status of a failure. */
interface Attempt {
  readonly title: string;
  readonly id: number | undefined;
  readonly status: number;
}

async function load(
  repository: TestRepository,
  isOver: () => boolean,
  counts: { made: number },
): Promise<{ nodes: Attempt[]; media: Attempt[] }> {
  const [model, use] = [
    await repository.termId('http://purl.org/coar/resource_type/c_c513'),
    await repository.termId('http://pcdm.org/use#OriginalFile'),
  ];
  const [nodes, media]: [Attempt[], Attempt[]] = [[], []];
  const work = async (writer: number) => {
    for (let number = 0; !isOver(); number++) {
      const title = `w${writer}.${number}.`;
      const body = {
        type: [{ target_id: 'islandora_object' }],
        title: [{ value: title }],
        field_model: [{ target_id: model }],
      };
      const response = await repository.post('/node?_format=json', body, 'admin');
      const { nid } = response.status === 201 ? ((await response.json()) as EntityJson) : {};
      await response.text().catch(() => '');
      if (nid !== undefined) counts.made += 1;
      nodes.push({ title, id: nid?.[0].value, status: response.status });
      if (nid === undefined || writer % 4 !== 0) continue;
      const path = `/node/${nid[0].value}/media/file/${use}`;
      const headers = { 'Content-Type': 'text/plain', 'Content-Location': `private://${title}txt` };
      const put = await repository.put(path, title.repeat(100), headers, 'admin');
      await put.text();
      const id = Number(put.headers.get('location')?.split('/').at(-1));
      media.push({ title, id: put.status === 201 ? id : undefined, status: put.status });
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => work(writer)));
  return { nodes, media };
}

describe('a repository on a libSQL server that is killed under load', () => {
  it(`keeps every created item whole and once, after ${KILLS} kills`, async () => {
    const sqld = await startSqld();
    const database = { ...DEFAULT_SERVER_CONFIG.database, url: sqld.url };
    const repository = await createTestRepository({ database });
    let isOver = false;
    const counts = { made: 0 };
    const loading = load(repository, () => isOver, counts);
    const moreMade = (least: number) => until(() => counts.made > least, { seconds: 60 });
    for (let kill = 1; kill <= KILLS; kill++) {
      await moreMade(WRITERS * kill);
      await pause(MAX_PAUSE_MS * Math.random());
      await sqld.restart();
    }
    await moreMade(counts.made + WRITERS);
    isOver = true;
    const { nodes, media } = await loading;

    const { services } = repository.running;
    const { rows } = await services.database.client.execute("SELECT label, id FROM node WHERE label LIKE 'w%.'");
    const ids = new Map(rows.map((row) => [String(row[0]), Number(row[1])]));
    expect(ids.size).toBe(rows.length);
    const made = nodes.filter(({ status }) => status === 201);
    const missing = made.filter(({ title, id }) => ids.get(title) !== id);
    const unanswered = nodes.filter(({ status }) => status !== 201);
    const survived = unanswered.filter(({ title }) => ids.has(title));

    const files = await services.database.client.execute('SELECT uri, storage_key, filesize FROM file');
    const stores = [...services.schemes.values()];
    let withoutBytes = 0;
    for (const [uri, key, size] of files.rows as unknown as Array<[string, string, number]>) {
      const store = stores.find(({ name }) => uri.startsWith(`${name}://`));
      const bytes = await new Response(await store?.storage.read(key)).bytes();
      if (bytes.byteLength !== size) withoutBytes++;
    }
    const put = media.filter(({ status }) => status === 201);
    const { rows: names } = await services.database.client.execute(
      "SELECT filename FROM file WHERE filename LIKE 'w%'",
    );
    const filenames = new Set(names.map((row) => String(row[0])));
    const lost = put.filter(({ title }) => !filenames.has(`${title}txt`));
    console.log(
      `${KILLS} kills: ${JSON.stringify({
        nodes: { 201: made.length, missing: missing.length, 503: unanswered.length, madeAllTheSame: survived.length },
        media: { 201: put.length, missing: lost.length, 503: media.length - put.length },
        files: { rows: files.rows.length, withoutBytes },
      })}`,
    );
    expect({ missing, lost, withoutBytes }).toEqual({ missing: [], lost: [], withoutBytes: 0 });
    expect(new Set(unanswered.map(({ status }) => status))).toEqual(new Set(unanswered.length > 0 ? [503] : []));
    expect(media.filter(({ status }) => status !== 201 && status !== 503)).toEqual([]);
    expect(rows.length).toBe(made.length + survived.length);
    expect(made.length).toBeGreaterThan(WRITERS * KILLS);
    await repository.stop();
    await sqld.stop();
  }, 90_000);
});
