import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { emptyFolder } from '../support/empty-folder.ts';
import { createFixtures, type Fixtures, run } from '../support/fixtures.ts';
import { freePort } from '../support/free-port.ts';
import { Items } from '../support/items.ts';
import { createKey, signToken } from '../support/key-server.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { until } from '../support/until.ts';

const COMMANDS = resolve(import.meta.dir, '../../config/processor.yaml');

const folder = await emptyFolder();
const began = join(folder, 'began');
const port = await freePort();
const processorPort = await freePort();
const origin = `http://localhost:${port}`;
const processorUrl = `http://localhost:${processorPort}/`;
const items = new Items(() => origin, join(folder, 'data'));
let fixtures: Fixtures;
let repository: ServerProcess;
let processor: ServerProcess | undefined;

/** Records each start, and takes long between its first byte and its last, so that tests find it running. */
const SLOW = `
  application/zip:
    cmdByDestination:
      application/xml:
        cmd: sh
        args: [-c, 'echo once >> ${began}; printf "<zip>"; sleep 1.5; wc -c | tr -d " \\n"; printf "</zip>"']
`;

async function configure(): Promise<{ ofRepository: string; ofProcessor: string }> {
  const ofRepository = join(folder, 'repository.yaml');
  const ofProcessor = join(folder, 'processor.yaml');
  await writeFile(
    ofRepository,
    `data: ${items.dataFolder}\nbaseUrl: ${origin}\nderivatives: { processors: ["${processorUrl}"] }\n`,
  );
  const keys = [
    `jwksUri: ${origin}/.well-known/jwks.json`,
    `jwtIssuer: ["${origin}"]`,
    'jwtAudience: [islandora]',
    `allowedSources: ["${origin}/"]`,
  ];
  const commands = (await readFile(COMMANDS, 'utf8')).replace('\ncmdByMimeType:\n', `\ncmdByMimeType:\n${SLOW}`);
  await writeFile(ofProcessor, `${keys.join('\n')}\n${commands}`);
  return { ofRepository, ofProcessor };
}

const startProcessor = async () => {
  processor = await startServer({ mode: 'processor', config: join(folder, 'processor.yaml'), port: processorPort });
  return processor;
};

beforeAll(async () => {
  const { ofRepository } = await configure();
  fixtures = await createFixtures();
  repository = await startServer({ mode: 'repository', config: ofRepository, port });
});
afterAll(async () => {
  await processor?.stop();
  await repository.stop();
  await fixtures.remove();
});

const facts = async (node: number) =>
  (await items.list(node)).map(({ use, type, mimeType }) => `${use}: ${type} ${mimeType}`);
const of = async (node: number, use: string) => {
  const found = (await items.list(node)).find((media) => media.use === use);
  if (found === undefined) throw new Error(`node ${node} has no ${use}`);
  return found;
};
const settled = () =>
  until(() => items.jobs().every(({ state }) => state === 'done'), { seconds: 60, tell: () => items.jobs() });

describe('a repository with a separate processor that checks tokens', () => {
  let image: number;
  let pdf: number;
  let sound: number;

  it('queues jobs without using up attempts until the processor starts', async () => {
    image = await items.make('image');
    pdf = await items.make('document');
    sound = await items.make('audio');
    for (const node of [image, pdf, sound]) await items.unpublish(node);
    const upload = async (node: number, name: string, media: string, mimeType: string) =>
      items.build.upload(node, {
        media,
        mimeType,
        uri: `private://in/${name}`,
        bytes: await fixtures.read(name),
      });
    await upload(image, 'plasma.jpg', 'image', 'image/jpeg');
    await upload(pdf, 'hello.pdf', 'document', 'application/pdf');
    await upload(sound, 'tone.wav', 'audio', 'audio/x-wav');
    const isTold = () => repository.log.some(({ processor: said }) => said === new URL(processorUrl).origin);
    await until(isTold, { seconds: 20 });
    const jobs = items.jobs();
    expect(jobs.map(({ action }) => action)).toHaveLength(9);
    expect(jobs.every(({ state, attempts }) => state === 'queued' && attempts === 0)).toBe(true);
    expect(await facts(image)).toEqual(['Original File: image image/jpeg']);
  }, 30_000);

  it('makes all derivatives once the processor starts', async () => {
    await startProcessor();
    await settled();
    expect(await facts(image)).toEqual([
      'FITS File: fits_technical_metadata application/xml',
      'Image Tiles: file application/zip',
      'Original File: image image/jpeg',
      'Service File: image image/jpeg',
      'Thumbnail Image: image image/jpeg',
    ]);
    expect(await facts(pdf)).toEqual([
      'Extracted Text: extracted_text text/plain',
      'FITS File: fits_technical_metadata application/xml',
      'Original File: document application/pdf',
      'Thumbnail Image: image image/png',
    ]);
    expect(await facts(sound)).toEqual([
      'FITS File: fits_technical_metadata application/xml',
      'Original File: audio audio/x-wav',
      'Service File: audio audio/mpeg',
    ]);
    const identify = async (node: number) =>
      run(['identify', '-format', '%m %w %h', '-'], await items.bytes(await of(node, 'Thumbnail Image')));
    expect({ image: await identify(image), pdf: await identify(pdf) }).toEqual({
      image: 'JPEG 220 110',
      pdf: 'PNG 400 267',
    });
    expect(Buffer.from(await items.bytes(await of(pdf, 'Extracted Text'))).toString()).toContain('Hello PDF 42');
    expect(items.jobs().map(({ attempts }) => attempts)).toEqual(Array(9).fill(1));
  }, 90_000);

  it('uses the same event id in both logs', () => {
    for (const { event_id } of items.jobs()) {
      const isIt = ({ msgId }: Record<string, unknown>) => msgId === `urn:uuid:${event_id}`;
      expect(
        repository.log
          .filter(isIt)
          .map(({ msg }) => String(msg))
          .at(-1),
      ).toEndWith(': made');
      expect(processor?.log.filter(isIt).map(({ msg, status }) => ({ msg, status }))).toEqual([
        { msg: 'GET / 200', status: 200 },
      ]);
    }
  });

  it('returns 401 to anonymous callers for files of unpublished nodes', async () => {
    for (const node of [image, pdf, sound]) {
      const source = await of(node, 'Original File');
      expect(source.uri).toStartWith('private://in/');
      for (const { path } of [source, await of(node, 'FITS File')])
        expect((await fetch(origin + path)).status).toBe(401);
    }
  });

  it('lets only a valid token call the processor', async () => {
    const source = origin + (await of(image, 'Original File')).path;
    const ask = async (authorization?: string) => {
      const headers = { 'Apix-Ldp-Resource': source, Accept: 'image/jpeg' };
      const all = authorization === undefined ? headers : { ...headers, Authorization: authorization };
      const response = await fetch(processorUrl, { headers: all, keepalive: false });
      await response.arrayBuffer();
      return response.status;
    };
    const token = async (path: string, init?: RequestInit) =>
      ((await (await items.fetch(path, init)).json()) as { token: string }).token;
    const good = await token('/jwt/token');
    const foreign = await signToken(await createKey('another'), { iss: origin, aud: ['islandora'] });
    const [head = '', , signature = ''] = good.split('.');
    const claims = Buffer.from(JSON.stringify({ webid: '1', sub: 'admin', iss: origin, exp: 4e9 })).toString(
      'base64url',
    );
    expect(await ask()).toBe(400);
    expect(await ask('Basic YTpi')).toBe(400);
    for (const bad of ['nonsense', foreign, `${head}.${claims}.${signature}`, `${head}.${claims}.`])
      expect(await ask(`Bearer ${bad}`)).toBe(401);
    expect(await ask(`Bearer ${good}`)).toBe(200);
  });

  it('makes a derivative once after a kill of the processor, and keeps the original unchanged', async () => {
    const bytes = new Uint8Array(Buffer.from('PK\u0005\u0006'.padEnd(22, '\0')));
    const node = await items.make('binary');
    await items.build.upload(node, {
      media: 'file',
      mimeType: 'application/zip',
      uri: 'private://in/a.zip',
      bytes,
    });
    const times = async () => (await Bun.file(began).exists()) && (await Bun.file(began).text());
    await until(async () => (await times()) === 'once\n', { seconds: 20 });
    // Until the beginning of its answer is being stored.
    await until(() => [...new Bun.Glob('files/public/incoming/**').scanSync(items.dataFolder)].length > 0, {
      seconds: 20,
    });
    await processor?.kill();
    await until(() => items.jobs().at(-1)?.lease === null, { seconds: 20 });
    expect(items.jobs().at(-1)).toMatchObject({ node_id: node, state: 'queued', attempts: 1 });
    expect(await facts(node)).toEqual(['Original File: file application/zip']);
    await startProcessor();
    items.hurry();
    await settled();
    expect(await times()).toBe('once\nonce\n');
    expect(await facts(node)).toEqual([
      'FITS File: fits_technical_metadata application/xml',
      'Original File: file application/zip',
    ]);
    expect(Buffer.from(await items.bytes(await of(node, 'FITS File'))).toString()).toBe('<zip>22</zip>');
    expect(await items.bytes(await of(node, 'Original File'))).toEqual(bytes);
    expect(items.jobs().at(-1)).toMatchObject({ state: 'done', attempts: 2 });
    expect(repository.log.filter(({ level }) => level === 'error')).toEqual([]);
  }, 60_000);
});
