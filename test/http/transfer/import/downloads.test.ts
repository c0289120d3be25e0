import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { DEFAULT_SERVER_CONFIG } from '../../../../src/config/server-config.ts';
import { createDownloads, type Downloads } from '../../../../src/transfer/files/downloads.ts';
import { type FileServer, type ServedFile, startFileServer } from '../../../support/file-server.ts';
import { createImportSite, type ImportSite } from '../../../support/import-site.ts';
import { MODEL } from '../../../support/site-builder.ts';
import { tableBrowser } from '../../../support/table-upload.ts';
import { createTestRepository, type TestRepository } from '../../../support/test-repository.ts';
import { until } from '../../../support/until.ts';

const SIZE = 300_000;
const BYTES = new Uint8Array(SIZE).map((_, at) => (at * 31 + (at >> 8)) % 251);
const sha256Of = (bytes: Uint8Array) => new Bun.CryptoHasher('sha256').update(bytes).digest('hex');
const SHA256 = sha256Of(BYTES);

/** Texts have at most a third of the bytes of a test file. */
const MODEL_FILE = `
media_types:
  extracted_text:
    fields:
      field_media_file: { max_file_bytes: 100000 }
`;

type Field = readonly { readonly url?: string }[];

let server: FileServer;
let other: FileServer;
let repository: TestRepository;
let site: ImportSite;
let number = 0;

beforeAll(async () => {
  [server, other] = await Promise.all([startFileServer(), startFileServer()]);
  const imports = { ...DEFAULT_SERVER_CONFIG.imports, allowedSources: [new URL(`${server.url}/scans/`)] };
  repository = await createTestRepository({ imports }, { model: MODEL_FILE });
  site = await createImportSite(repository);
});
beforeEach(() => {
  server.requests.length = 0;
  other.requests.length = 0;
});
afterAll(async () => {
  await Promise.all([server.stop(), other.stop(), site.remove(), repository.stop()]);
});

let chunks = 0;

/** Returns downloads that repeat requests at once, and count the chunks that arrive. */
function downloads(maxDownloads = 4): Downloads {
  const pause = async (failures: number) => failures < 3;
  const real = createDownloads({ allowedSources: [new URL(`${server.url}/scans/`)], maxDownloads, pause });
  return {
    ...real,
    async *open(...what) {
      for await (const chunk of real.open(...what)) {
        chunks += 1;
        yield chunk;
      }
    },
  };
}

/** Serves a file whose interrupted answers end once a part of them has arrived. */
function serve(name: string, file: Partial<ServedFile> = {}): string {
  let before = 0;
  server.files.set(`/scans/${name}`, {
    ...{ bytes: BYTES, etag: '"1"' },
    onGet: () => {
      before = chunks;
    },
    onCut: () => until(() => chunks > before),
    ...file,
  });
  return `${server.url}/scans/${name}`;
}

/** Imports a table of one file. Returns the message that stopped it, or the SHA-256 of the stored bytes. */
async function imported(address: string, { checksum = '', from = downloads() } = {}): Promise<string> {
  number += 1;
  const title = `Download ${number}`;
  const table = `id,title,field_model,file,checksum\n1,${title},${MODEL.image},${address},${checksum}\n`;
  const file = await site.table(`remote-${number}.csv`, table);
  const before = await site.count('SELECT count(*) FROM file');
  let failure: string | undefined;
  try {
    failure = (await site.import(file, { table: { downloads: from } }))?.failure?.message;
  } catch (error) {
    failure = (error as Error).message;
  }
  if (failure !== undefined) {
    expect(await site.count('SELECT count(*) FROM file')).toBe(before);
    return failure;
  }
  const [, media] = (await site.result(file))[0]?.split('file:') ?? [];
  const values = (await (await repository.get(`/media/${media}?_format=json`)).json()) as Record<string, Field>;
  const url = Object.entries(values).find(([name]) => name.startsWith('field_media_'))?.[1][0]?.url ?? '';
  return sha256Of(new Uint8Array(await (await fetch(url)).arrayBuffer()));
}

describe('a file at an address', () => {
  it('is asked for by the check, and fetched by the import', async () => {
    expect(await imported(serve('a.tif'), { checksum: SHA256 })).toBe(SHA256);
    expect(server.requests).toEqual(['HEAD /scans/a.tif', 'GET /scans/a.tif']);
  });

  it('is refused above the maximum of its media type: by the check, or once so many bytes have arrived', async () => {
    expect(await imported(serve('large.txt'))).toContain(
      '"large.txt" has 300000 bytes; extracted_text media have at most',
    );
    const unknown = serve('unknown.txt', { hasLength: false });
    expect(await imported(unknown)).toContain('100000 bytes');
    expect(server.requests.filter((each) => each.includes('unknown'))).toEqual([
      'HEAD /scans/unknown.txt',
      'GET /scans/unknown.txt',
    ]);
  });

  it('has the decoded name of its path, and the use of its cell', async () => {
    const address = serve('caf%C3%A9%201.txt', { bytes: BYTES.subarray(0, 1_000) });
    const file = await site.table(
      'uses.csv',
      `id,title,field_model,additional_files\n1,Uses,${MODEL.image},Extracted Text:${address}#page=2\n`,
    );
    await site.import(file, { table: { downloads: downloads() } });
    const [row = ''] = await site.result(file);
    const media = (await (await repository.get(`/media/${row.split(':').at(-1)}?_format=json`)).json()) as {
      name: { value: string }[];
    };
    expect(media.name[0]?.value).toBe('café 1.txt');
  });

  it('continues after interruptions with the missing bytes of the same version', async () => {
    expect(await imported(serve('cut.tif', { cuts: [100_000, 50_000] }))).toBe(SHA256);
    const ranges = server.requests.filter((request) => request.startsWith('GET')).map((each) => each.split(' ')[2]);
    expect(ranges).toEqual([undefined, 'bytes=100000-', 'bytes=150000-']);
  });

  it('continues on a server without ranges, whose first bytes it skips', async () => {
    expect(await imported(serve('whole.tif', { cuts: [100_000], hasRanges: false }))).toBe(SHA256);
  });

  it('continues without an ETag if the table has its checksum', async () => {
    const file = { cuts: [100_000], etag: undefined };
    expect(await imported(serve('plain.tif', file), { checksum: SHA256 })).toBe(SHA256);
    expect(await imported(serve('plain-2.tif', { ...file, cuts: [100_000] }))).toContain(
      'it cannot be continued without an ETag or a checksum',
    );
  });

  it('is refused if it changes during an interruption', async () => {
    const address = serve('changed.tif', { cuts: [100_000] });
    const first = server.files.get('/scans/changed.tif') as ServedFile;
    server.files.set('/scans/changed.tif', {
      ...first,
      onCut: async () => {
        await first.onCut?.();
        server.files.set('/scans/changed.tif', { bytes: BYTES.toReversed(), etag: '"2"' });
      },
    });
    expect(await imported(address)).toContain('changed.tif cannot be fetched: it was changed during the download.');
  });

  it('is tried again while its server is busy, and given up in the end', async () => {
    expect(await imported(serve('busy.tif', { statuses: [503, 429] }))).toBe(SHA256);
    expect(await imported(serve('down.tif', { statuses: Array(12).fill(500) }))).toContain(
      'cannot be fetched: its server answered 500.',
    );
  });

  it('may be on a server that refuses HEAD', async () => {
    expect(await imported(serve('no-head.tif', { hasHead: false }))).toBe(SHA256);
    expect(server.requests).toEqual([
      'HEAD /scans/no-head.tif',
      'GET /scans/no-head.tif bytes=0-0',
      'GET /scans/no-head.tif',
    ]);
  });

  it('is refused with another checksum, and nothing is stored', async () => {
    expect(await imported(serve('other.tif'), { checksum: '0'.repeat(64) })).toContain(
      'other.tif has another SHA-256 than the table.',
    );
  });

  it('is refused by the check if it is missing, or no file of a known name', async () => {
    expect(await imported(`${server.url}/scans/none.tif`)).toContain('its server answered 404');
    expect(await imported(`${server.url}/scans/`)).toContain('does not end in the name of a file');
    expect(await imported(serve('a.exe%00.tif'))).toContain('does not end in the name of a file');
    expect(await imported(serve('%FF.tif'))).toContain('invalid percent-encoding');
  });

  it('is loaded once: a resumed import fetches only the files that it lacks', async () => {
    const [first, second] = [serve('first.tif'), serve('second.tif', { statuses: [] })];
    const table = `id,title,field_model,file\n1,One,${MODEL.image},${first}\n2,Two,${MODEL.image},${second}\n`;
    const file = await site.table('resumed.csv', table);
    const gone = { ...(server.files.get('/scans/second.tif') as ServedFile), statuses: [200, 404] };
    server.files.set('/scans/second.tif', gone);
    const options = { table: { downloads: downloads(1) } };
    expect((await site.import(file, options))?.failure?.message).toContain('answered 404');
    server.requests.length = 0;
    expect((await site.import(file, options))?.failure).toBeUndefined();
    expect(server.requests.filter((request) => request.startsWith('GET'))).toEqual(['GET /scans/second.tif']);
  });

  it('waits while as many others are fetched as the settings allow', async () => {
    let [now, most] = [0, 0];
    const onGet = async () => {
      now += 1;
      most = Math.max(most, now);
      // The others arrive meanwhile, if nothing holds them back.
      await Promise.resolve();
      await new Promise((resolve) => setImmediate(resolve));
      now -= 1;
    };
    const rows = Array.from(
      { length: 12 },
      (_, at) => `${at},Row ${at},${MODEL.image},${serve(`n${at}.tif`, { onGet })}`,
    );
    const file = await site.table('many.csv', `id,title,field_model,file\n${rows.join('\n')}\n`);
    expect(await site.import(file, { table: { downloads: downloads(2) } })).toMatchObject({
      files: 12,
      bytes: 12 * SIZE,
    });
    expect(most).toBeLessThanOrEqual(2);
  });
});

describe('an address that the settings do not allow', () => {
  it.each([
    ['another server', () => `${other.url}/scans/a.tif`],
    ['another path', () => `${server.url}/private/a.tif`],
    ['a path that leaves the prefix', () => `${server.url}/scans/%2e%2e/private/a.tif`],
    ['a host that begins like an allowed one', () => `${server.url}.example.org/scans/a.tif`],
    ['an allowed host as a user name', () => `${server.url.replace(':', ':')}@${other.url.slice(7)}/scans/a.tif`],
    ['a file of this machine', () => 'file:///etc/passwd'],
    ['the metadata service of a cloud', () => 'http://169.254.169.254/latest/meta-data/a.tif'],
    ['an inner address', () => 'http://[::1]:22/a.tif'],
    ['another protocol', () => 'ftp://files.example.org/a.tif'],
  ])('is never asked: %s', async (_, address) => {
    expect(await imported(address())).toContain('is a URL of a server that imports.allowedSources does not name');
    expect([...server.requests, ...other.requests]).toEqual([]);
  });

  it('is never asked after a redirect, from the check and from the import', async () => {
    other.files.set('/inner.tif', { bytes: BYTES, etag: '"1"' });
    expect(await imported(serve('away.tif', { redirect: `${other.url}/inner.tif` }))).toContain(
      'it redirects to an address that imports.allowedSources does not name',
    );
    const later = serve('later.tif');
    const table = `id,title,field_model,file\n1,Later,${MODEL.image},${later}\n`;
    const file = await site.table('later.csv', table);
    const onChecked = async () => serve('later.tif', { redirect: `${other.url}/inner.tif` });
    const summary = await site.import(file, { table: { downloads: downloads() }, onChecked });
    expect(summary?.failure?.message).toContain('it redirects to an address that imports.allowedSources does not name');
    expect(other.requests).toEqual([]);
  });

  it('is allowed after a redirect below an allowed prefix, and never in a circle', async () => {
    serve('real.tif');
    expect(await imported(serve('moved.tif', { redirect: '/scans/real.tif' }))).toBe(SHA256);
    expect(await imported(serve('loop.tif', { redirect: '/scans/loop.tif' }))).toContain('redirects more than 5 times');
  });

  it('has no password, which messages would show', async () => {
    serve('secret.tif');
    const address = `${server.url.replace('http://', 'http://jane:s3cret@')}/scans/secret.tif`;
    expect(await imported(address)).toContain('has a user name or password');
    expect(server.requests).toEqual([]);
  });
});

describe('a table in the browser', () => {
  it('names files at the addresses that the settings allow', async () => {
    const admin = await tableBrowser(repository, 'admin');
    const table = `id,title,field_model,file\n1,From a browser,Image,${serve('browser.tif')}\n`;
    const { path } = await admin.upload(table);
    expect((await admin.settled(path)).html).toContain('1 item and 1 file of');
    await admin.press(path, { act: 'start' });
    expect((await admin.settled(path)).html).toContain('The table is imported');
    expect(server.requests.filter((request) => request.startsWith('GET'))).toEqual(['GET /scans/browser.tif']);
    const refused = await admin.upload(table.replace('/scans/', '/private/'));
    expect((await admin.settled(refused.path)).html).toContain('imports.allowedSources does not name');
  });
});
