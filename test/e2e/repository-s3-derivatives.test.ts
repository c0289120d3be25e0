import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_SERVER_CONFIG } from '../../src/config/server-config.ts';
import type { RepositoryOptions } from '../../src/server/repository.ts';
import { createMedia, fileOf, pngHead } from '../support/binaries.ts';
import { mediaByUse, settled } from '../support/derivative-site.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { holdingsOf, keysInRows, openTestBucket, s3Scheme, schemesAnd, type TestBucket } from '../support/s3-site.ts';
import { USE } from '../support/site-builder.ts';
import { type StubProcessor, startStubProcessor } from '../support/stub-processor.ts';
import { createTestProcessor } from '../support/test-processor.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../support/test-repository.ts';

const DONE = ['done', 'done', 'done'];
const RULES = `
actions:
  image_generate_a_service_file_from_an_original_file: { scheme: s3 }
  image_generate_a_thumbnail_from_an_original_file: { scheme: kept }
contexts:
  image_tiles: null
`;

let folder: string;
let bucket: TestBucket;
const stops: (() => Promise<void>)[] = [];
beforeAll(async () => {
  folder = await emptyFolder();
  await writeFile(join(folder, 'rules.yaml'), RULES);
  bucket = await openTestBucket();
});
afterAll(async () => {
  for (const stop of stops) await stop();
  await bucket.close();
});

/** A repository with a bucket of its own within the one of all tests; files of the scheme `kept` are kept there, too. */
async function start(
  name: string,
  delivery: 'stream' | 'redirect',
  processors: string[],
  options: Pick<RepositoryOptions, 'processor'> = {},
) {
  const config = { ...bucket.config, prefix: `${bucket.config.prefix}${name}/` };
  const kept = { name: 'kept', storeIn: 's3', driver: 'local', folder: 'files/kept' } as const;
  const derivatives = { ...DEFAULT_SERVER_CONFIG.derivatives, rulesFile: join(folder, 'rules.yaml'), processors };
  const schemes = schemesAnd(s3Scheme(config, { delivery }), kept);
  const repository = await createTestRepository({ schemes, derivatives }, options);
  stops.push(() => repository.stop());
  return { repository, config };
}

/** Puts a picture into the bucket and returns what was made of it, by use. */
async function derive(repository: TestRepository, body: Buffer): Promise<Map<string, EntityJson>> {
  const node = await repository.node();
  await createMedia(repository, { node, uri: 's3://scans/my photo.png', body: new Uint8Array(body) });
  const jobs = await settled(repository, node);
  expect(jobs.map(({ state, message }) => message ?? state)).toEqual(DONE);
  return mediaByUse(repository, node);
}

describe.each(['stream', 'redirect'] as const)('derivatives of a file in a bucket (delivery: %s)', (delivery) => {
  let stub: StubProcessor;
  beforeAll(async () => {
    stub = await startStubProcessor();
    stops.push(() => stub.down());
  });

  it('are made from the bucket and stored where their rule says', async () => {
    const { repository, config } = await start(`stub-${delivery}`, delivery, [stub.url]);
    const body = pngHead(30, 40, 'source');
    const made = await derive(repository, body);
    expect(stub.problems).toEqual([]);
    expect(stub.calls.map(({ found }) => found)).toEqual(
      Array.from(DONE, () => ({ status: 200, type: 'image/png', bytes: body })),
    );
    const service = made.get(USE.service) as EntityJson;
    const month = new Date().toISOString().slice(0, 7);
    expect((await fileOf(repository, service)).uri[0].value).toBe(`s3://${month}/my photo-Service File.jpg`);
    const thumbnail = made.get(USE.thumbnail) as EntityJson;
    const { value, url } = (await fileOf(repository, thumbnail)).uri[0];
    expect({ value, url }).toEqual({
      value: `kept://${month}/my photo-Thumbnail Image.jpg`,
      url: `/_flysystem/kept/${month}/my%20photo-Thumbnail%20Image.jpg`,
    });
    // A public scheme, though the file is stored in a private one.
    expect((await repository.fetch(url, { redirect: 'follow' })).status).toBe(200);
    const { rows } = await repository.running.services.database.client.execute({
      sql: 'SELECT stored_in FROM file WHERE uri = ?',
      args: [value],
    });
    expect(rows[0]?.[0]).toBe('s3');
    expect(await holdingsOf(config)).toEqual(await keysInRows(repository));
    expect(await holdingsOf(config)).toHaveLength(3);
    expect(repository.failures()).toEqual([]);
  });
});

const commands = 'allowedMimeTypes: ["*"]\ncmdByMimeType: { image/png: { cmd: cat } }\n';
const from = (...sources: string[]) => `${commands}allowedSources: ${JSON.stringify(sources)}\n`;

async function expectDerivatives(repository: TestRepository): Promise<void> {
  const body = pngHead(3, 4, 'network');
  const service = (await derive(repository, body)).get(USE.service) as EntityJson;
  const { pathname } = new URL(service.field_media_image[0].url);
  const response = await repository.fetch(pathname, { as: 'admin', redirect: 'follow' });
  expect(Buffer.compare(await response.bytes(), body)).toBe(0);
}

describe('derivatives of a file with redirected downloads', () => {
  it('are made by a processor that may fetch from repository and bucket', async () => {
    const processor = await createTestProcessor(commands);
    stops.push(() => processor.stop());
    const { repository } = await start('network', 'redirect', [processor.url]);
    await processor.reload(from(`${repository.url}/`, `${bucket.config.endpoint}/`));
    await expectDerivatives(repository);
  });

  it('are made by the embedded processor without configuration of the bucket', async () => {
    await writeFile(join(folder, 'commands.yaml'), from('http://elsewhere.example/'));
    const processor = { file: join(folder, 'commands.yaml'), port: undefined, host: undefined };
    const { repository } = await start('within', 'redirect', [], { processor });
    await expectDerivatives(repository);
  });
});
