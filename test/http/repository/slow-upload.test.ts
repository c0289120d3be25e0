import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { auditServices } from '../../support/audit.ts';
import { settledFiles } from '../../support/binaries.ts';
import { speak } from '../../support/raw-http.ts';
import { basic, createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository({ minUploadRate: 1000, minUploadPeriodSeconds: 0.3 });
});
afterAll(async () => {
  await settledFiles(repository);
  expect(await auditServices(repository.running.services, true)).toEqual([]);
  await repository.stop();
});

const drip = (count: number) => Array.from({ length: count }, () => ['x', 50] as const).flat();
async function upload(steps: (string | number)[], length: number) {
  const node = await repository.node();
  const use = await repository.termId('http://pcdm.org/use#OriginalFile');
  const head = [
    `PUT /node/${node.nid[0].value}/media/file/${use} HTTP/1.1`,
    'Host: localhost',
    `Authorization: ${basic('admin')}`,
    'Content-Type: text/plain',
    `Content-Location: public://slow/a-${node.nid[0].value}.txt`,
    `Content-Length: ${length}`,
  ];
  const { text, closed } = await speak(Number(new URL(repository.url).port), [
    `${head.join('\r\n')}\r\n\r\n`,
    ...steps,
  ]);
  const response = await repository.get(`/node/${node.nid[0].value}/media?_format=json`, 'admin');
  return { text, closed, media: (await response.json()) as EntityJson[] };
}

describe('the upload of a file', () => {
  it('that is too slow returns 408, closes the connection and stores nothing', async () => {
    const { text, closed, media } = await upload(drip(16), 1_000_000);
    expect(text).toStartWith('HTTP/1.1 408 ');
    expect(text).toContain(
      '{"message":"The body of the request came too slowly: fewer than 1000 bytes a second over 0.3 seconds."}',
    );
    expect({ closed, media }).toEqual({ closed: true, media: [] });
  });

  it('that keeps the minimum rate is stored, regardless of its duration', async () => {
    const pieces = Array.from({ length: 16 }, () => ['x'.repeat(400), 40] as const).flat();
    const { text, media } = await upload(pieces, 6400);
    expect(text).toStartWith('HTTP/1.1 201 ');
    expect(media).toHaveLength(1);
  });
});
