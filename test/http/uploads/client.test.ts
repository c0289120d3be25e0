import { afterAll, beforeAll, expect, it } from 'bun:test';
import { Upload, type UploadOptions } from 'tus-js-client';
import { basic, createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';
import { attached } from '../../support/tus.ts';

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const BYTES = Buffer.from('a letter in several parts\n'.repeat(4_000));
const PART_BYTES = 30_000;

/** Uploads with tus-js-client, and returns the path of the upload with the requests that were sent. */
async function upload(
  options: Partial<UploadOptions>,
): Promise<{ readonly path: string; readonly requests: string[] }> {
  const requests: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    const upload = new Upload(BYTES, {
      endpoint: `${repository.url}/uploads`,
      chunkSize: PART_BYTES,
      retryDelays: null,
      headers: { Authorization: basic('admin') },
      onBeforeRequest: (request) => {
        requests.push(request.getMethod());
      },
      onSuccess: () => resolve(upload.url ?? ''),
      onError: reject,
      ...options,
    });
    upload.start();
  });
  return { path: new URL(url).pathname, requests };
}

it.each<[string, Partial<UploadOptions>, string[]]>([
  ['in parts', { metadata: { filename: 'letter.txt' } }, ['POST', 'PATCH', 'PATCH', 'PATCH', 'PATCH']],
  ['without metadata', {}, ['POST', 'PATCH', 'PATCH', 'PATCH', 'PATCH']],
  ['with POST instead of PATCH', { overridePatchMethod: true }, ['POST', 'POST', 'POST', 'POST', 'POST']],
  ['with bytes in the first request', { uploadDataDuringCreation: true }, ['POST', 'PATCH', 'PATCH', 'PATCH']],
])('the tus client of JavaScript uploads a file %s', async (_name, options, sent) => {
  const { path, requests } = await upload(options);
  expect(requests).toEqual(sent);
  const node = (await repository.node()).nid[0].value;
  const { media } = await attached(repository, path, { node, filename: 'letter.txt' });
  const made = (await (await repository.get(new URL(media.url).pathname, 'admin')).json()) as EntityJson;
  const file = await repository.get(new URL(made.field_media_file[0].url).pathname, 'admin');
  expect(Buffer.from(await file.arrayBuffer()).equals(BYTES)).toBe(true);
});

it('the tus client of JavaScript continues an upload', async () => {
  const { path } = await upload({ uploadSize: BYTES.length });
  const { path: same, requests } = await upload({ uploadUrl: `${repository.url}${path}` });
  expect(same).toBe(path);
  expect(requests).toEqual(['HEAD']);
});
