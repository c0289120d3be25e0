import { afterAll, describe, expect, it } from 'bun:test';
import { createTestProcessor } from '../../support/test-processor.ts';

const processor = await createTestProcessor(`
allowedMimeTypes: [text/*, image/png, application/x-any]
cmdByMimeType:
  text/plain: { cmd: tr, args: [a-z, A-Z] }
  text/*: { cmd: wc, args: [-c], contentType: text/x-count }
  text/html:
    cmdByDestination:
      text/plain: { cmd: sed, args: ["s/<[^>]*>//g"] }
      image/*: { cmd: printf, args: ["%destination-mime-ext:- %destination-mime-pandoc"] }
  image/png: { cmd: printf, args: ["[%s]", "%args", "out.%destination-mime-ext"] }
  default: { cmd: cat }
`);
afterAll(() => processor.stop());

describe('POST /', () => {
  it('returns the output of the command for the body', async () => {
    const response = await processor.post('text/plain', 'a file');
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('A FILE');
    expect(response.headers.get('Content-Length')).toBe('6');
  });

  it.each([
    ['an exact type wins', 'text/plain', 'TEXT'],
    ['case and parameters do not count', 'TEXT/Plain; charset=utf-8', 'TEXT'],
    ['a family comes next', 'text/csv', '4'],
    ['default comes last', 'application/x-any', 'text'],
  ])('chooses the command by type: %s', async (_, type, expected) => {
    const response = await processor.post(type, 'text');
    expect((await response.text()).trim()).toBe(expected);
  });

  it('chooses the command by destination if configured', async () => {
    const plain = await processor.post('text/html', '<b>bold</b>', { Accept: 'text/plain' });
    expect(await plain.text()).toBe('bold');
    const image = await processor.post('text/html', '<b>', { Accept: 'image/gif;q=0.1, image/jpeg, */*;q=2' });
    expect(await image.text()).toBe('jpg:- jpeg');
    expect(image.headers.get('Content-Type')).toBe('image/jpeg');
  });

  it('requires a destination if the command depends on it', async () => {
    const response = await processor.post('text/html', '<b>');
    expect(response.status).toBe(400);
    expect(await response.text()).toBe('The Accept header must name the MIME type to make.\n');
  });

  it('returns 500 if no command is configured for the destination', async () => {
    const response = await processor.post('text/html', '<b>', { Accept: 'video/mp4' });
    expect(response.status).toBe(500);
    expect(await response.text()).toBe('No command is configured that makes video/mp4 from text/html.\n');
  });

  it('passes the words of X-Repo-Args as separate arguments', async () => {
    const response = await processor.post('image/png', 'x', { 'X-Repo-Args': `-a 'b c' "d"`, Accept: 'image/tiff' });
    expect(await response.text()).toBe('[-a][b c][d][out.tif]');
  });

  it('accepts the header under its older name', async () => {
    const response = await processor.post('image/png', 'x', { 'X-Islandora-Args': '-old', Accept: 'image/png' });
    expect(await response.text()).toBe('[-old][out.png]');
  });

  it.each([
    ['the configured type', 'text/csv', 'x', {}, 'text/x-count'],
    ['the destination', 'application/x-any', 'x', { Accept: 'audio/mpeg' }, 'audio/mpeg'],
    ['text that looks like text', 'application/x-any', 'grüße', {}, 'text/plain; charset=utf-8'],
    ['bytes that do not', 'application/x-any', Uint8Array.of(0x89, 0xff, 0), {}, 'application/octet-stream'],
  ])('returns the type: %s', async (_, type, body, headers, expected) => {
    const response = await processor.post(type, body, headers as Record<string, string>);
    await response.arrayBuffer();
    expect(response.headers.get('Content-Type')).toBe(expected);
  });

  it('streams a long file completely', async () => {
    const file = crypto.getRandomValues(new Uint8Array(60_000)).toBase64().repeat(200);
    const response = await processor.post('application/x-any', file);
    expect(Bun.hash(await response.arrayBuffer())).toBe(Bun.hash(file));
    const line = await processor.lastRequest();
    expect(line).toMatchObject({ bytes_in: file.length, bytes_out: file.length, exit_code: 0, command: 'cat' });
  });
});

it('a processor chooses the command by the requested type with mimeTypeFromDestination', async () => {
  const service = await createTestProcessor(`
mimeTypeFromDestination: true
allowedMimeTypes: [audio/*]
cmdByMimeType:
  audio/mpeg: { cmd: printf, args: [exact] }
  audio/*: { cmd: printf, args: [family] }
  default: { cmd: printf, args: [default] }
`);
  const made = async (accept: string) => (await service.post('audio/wav', 'x', { Accept: accept })).text();
  expect(await Promise.all(['audio/mpeg', 'audio/ogg', 'video/mp4', '*/*'].map(made))).toEqual([
    'exact',
    'family',
    'default',
    'default',
  ]);
  expect((await service.post('image/png', 'x', { Accept: 'audio/mpeg' })).status).toBe(400);
  await service.stop();
});
