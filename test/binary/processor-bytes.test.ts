import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { emptyFolder } from '../support/empty-folder.ts';
import { pause } from '../support/pause.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';

/** More than the sockets, the pipes and the held output of one run hold together. */
const FILE = crypto.getRandomValues(new Uint8Array(65_000)).toBase64().repeat(150);
const CONFIG = 'allowedMimeTypes: ["*"]\ncmdByMimeType:\n  default: { cmd: cat }\n';

let service: ServerProcess;
beforeAll(async () => {
  const config = join(await emptyFolder(), 'cat.yaml');
  await writeFile(config, CONFIG);
  service = await startServer({ mode: 'processor', config });
});
afterAll(() => service.stop());

/** Sends `file` in pieces and reads the answer, with a pause after each piece. Returns the hash of the answer. */
function hashOfAnswer(file: string, sendingMs: number, readingMs: number): Promise<number | bigint> {
  return new Promise((resolve, reject) => {
    const sent = request(service.url, { method: 'POST', headers: { 'Content-Type': 'text/plain' } });
    sent.on('error', reject).on('response', async (answer) => {
      try {
        const chunks: Buffer[] = [];
        for await (const chunk of answer) {
          chunks.push(chunk);
          if (readingMs > 0) await pause(readingMs);
        }
        resolve(Bun.hash(Buffer.concat(chunks)));
      } catch (error) {
        reject(error);
      }
    });
    void send(file);

    async function send(all: string): Promise<void> {
      const piece = Math.ceil(all.length / 20);
      for (let start = 0; start < all.length; start += piece) {
        sent.write(all.slice(start, start + piece));
        if (sendingMs > 0) await pause(sendingMs);
      }
      sent.end();
    }
  });
}

describe('the output of the processor, byte by byte', () => {
  it.each([
    ['from a client that sends and reads at once', 0, 0],
    ['from a client that sends with pauses', 20, 0],
    ['from a client that reads with pauses', 0, 2],
  ])('is intact for four requests at once: %s', async (_, sendingMs, readingMs) => {
    const answers = Array.from({ length: 4 }, () => hashOfAnswer(FILE, sendingMs, readingMs));
    expect(await Promise.all(answers)).toEqual(Array(4).fill(Bun.hash(FILE)));
  });

  it('is intact if it is buffered whole before the response begins', async () => {
    const short = FILE.slice(0, 1_500_000);
    const answers = Array.from({ length: 8 }, () => hashOfAnswer(short, 0, 0));
    expect(await Promise.all(answers)).toEqual(Array(8).fill(Bun.hash(short)));
  });
});
