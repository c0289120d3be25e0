import { expect, it } from 'bun:test';
import { isFile, readMultipart } from '../../../src/http/read-multipart.ts';

/** Reads the first file of a form as far as `read` says, on a server of its own: a body in memory behaves differently. */
async function answerTo(bytes: number, read: (file: AsyncIterable<Uint8Array>) => Promise<void>): Promise<string> {
  using server = Bun.serve({
    port: 0,
    async fetch(request) {
      try {
        for await (const part of readMultipart(request)) if (isFile(part)) await read(part.bytes);
        return new Response('read');
      } catch (error) {
        return new Response((error as Error).message);
      }
    },
  });
  const form = new FormData();
  form.append('file', new File(['x'.repeat(bytes)], 'a.txt'));
  return (await fetch(server.url, { method: 'POST', body: form })).text();
}

it.each([10, 3_000, 300_000])('readMultipart ends when its reader stops before a file of %d bytes', async (bytes) => {
  const refuse = () => Promise.reject(new Error('refused'));
  expect(await answerTo(bytes, refuse)).toBe('refused');
});

it.each([10, 300_000])('readMultipart ends when its reader stops within a file of %d bytes', async (bytes) => {
  const stop = async (file: AsyncIterable<Uint8Array>) => {
    for await (const _ of file) throw new Error('stopped');
  };
  expect(await answerTo(bytes, stop)).toBe('stopped');
});
