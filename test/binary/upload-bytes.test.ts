import { afterAll, beforeAll, expect, it } from 'bun:test';
import { request } from 'node:http';
import { join } from 'node:path';
import { emptyFolder } from '../support/empty-folder.ts';
import { pause } from '../support/pause.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { basic, copyFirstStart, type EntityJson } from '../support/test-repository.ts';

const FILE = Buffer.from(crypto.getRandomValues(new Uint8Array(65_536)).toBase64().repeat(100));
const HEADERS = { Authorization: basic('admin'), 'Content-Type': 'application/octet-stream' };

let service: ServerProcess;
beforeAll(async () => {
  const data = join(await emptyFolder(), 'data');
  await copyFirstStart(data);
  service = await startServer({ mode: 'repository', data });
});
afterAll(() => service.stop());

/** Uploads a file in pieces with a pause after each. Returns the address of the stored file. */
function upload(name: string, pauseMs: number): Promise<string> {
  const headers = { ...HEADERS, 'Content-Disposition': `file; filename="${name}"` };
  return new Promise((resolve, reject) => {
    const path = 'file/upload/media/file/field_media_file?_format=json';
    const sent = request(`${service.url}/${path}`, { method: 'POST', headers });
    sent.on('error', reject).on('response', async (answer) => {
      const text = (await answer.toArray()).join('');
      if (answer.statusCode !== 201) return reject(new Error(`${answer.statusCode}: ${text}`));
      resolve((JSON.parse(text) as EntityJson).uri[0].url);
    });
    void (async () => {
      for (let start = 0; start < FILE.byteLength; start += 500_000) {
        sent.write(FILE.subarray(start, start + 500_000));
        if (pauseMs > 0) await pause(pauseMs);
      }
      sent.end();
    })();
  });
}

it('the repository stores every byte of uploads at full speed and with pauses', async () => {
  const pauses = [0, 0, 5, 20];
  const addresses = await Promise.all(pauses.map((pauseMs, index) => upload(`bytes-${index}.txt`, pauseMs)));
  for (const address of addresses) {
    const stored = await fetch(new URL(address, service.url), { headers: HEADERS });
    expect(stored.status).toBe(200);
    expect(Bun.hash(await stored.arrayBuffer())).toBe(Bun.hash(FILE));
  }
});
