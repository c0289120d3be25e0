import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { crc32, deflateSync } from 'node:zlib';
import { type DerivativeService, startDerivativeService } from '../support/derivatives.ts';
import { until } from '../support/until.ts';

const BOMB_BYTES = 157_000_000;
const MAX_METADATA_BYTES = 16 * 1024 ** 2;

let service: DerivativeService;
beforeAll(async () => {
  service = await startDerivativeService();
});
afterAll(() => service.stop());

/** A part of a PNG (PNG specification, 5.3). */
function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.byteLength);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** An image of one pixel with a compressed text of that many characters. */
function pngWithText(characters: number): Uint8Array<ArrayBuffer> {
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]);
  const text = Buffer.concat([Buffer.from('Comment\0\0', 'latin1'), deflateSync(Buffer.alloc(characters, 'x'))]);
  return new Uint8Array(
    Buffer.concat([
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
      chunk('IHDR', header),
      chunk('zTXt', text),
      chunk('IDAT', deflateSync(Buffer.from([0, 0]))),
      chunk('IEND', new Uint8Array()),
    ]),
  );
}

describe('technical metadata of an image of one pixel', () => {
  it('include a short compressed text', async () => {
    const xml = await service.make(pngWithText(1000), { from: 'image/png', to: 'application/xml' });
    expect(Buffer.from(xml).toString()).toContain('x'.repeat(1000));
  });

  it('are rejected for their size with a text of 157 MB in a file of 153 KB', async () => {
    const bomb = pngWithText(BOMB_BYTES);
    expect(bomb.byteLength).toBeLessThan(200_000);
    const response = await service.post(bomb, { from: 'image/png', to: 'application/xml' });
    const arrived = await response.arrayBuffer().then(
      ({ byteLength }) => [response.status, byteLength < 1000],
      () => 'cut',
    );
    // By when the status had to be known.
    expect([JSON.stringify([500, true]), '"cut"']).toContain(JSON.stringify(arrived));
    const line = () => service.processor.log.find(({ bytes_in }) => bytes_in === bomb.byteLength);
    await until(() => line() !== undefined);
    expect(line()).toMatchObject({ failure: { kind: 'limit-exceeded' } });
    expect(Number(line()?.bytes_out)).toBeLessThanOrEqual(MAX_METADATA_BYTES);
  });

  it('are rejected for their memory with a text of 1.2 GB', async () => {
    const response = await service.post(pngWithText(8 * BOMB_BYTES), { from: 'image/png', to: 'application/xml' });
    expect({ status: response.status, limit: response.headers.get('X-Repo-Limit') }).toEqual({
      status: 500,
      limit: 'maxMemoryBytes',
    });
    expect(await response.text()).toBe('The command ran out of memory: its maxMemoryBytes is 1073741824 bytes.\n');
  });
});

describe('a caller', () => {
  it.each([
    ['image/png', 'image/jpeg', 'plasma.png', '-write /tmp/repo-written.jpg'],
    ['image/png', 'image/jpeg', 'plasma.png', 'label:@/etc/hostname'],
    ['audio/wav', 'audio/mpeg', 'tone.wav', '-f mp3 /tmp/repo-written.mp3'],
    ['image/png', 'text/plain', 'words.png', '--tessdata-dir /tmp'],
    ['video/mp4', 'video/mp4', 'clip.mp4', '-vf movie=/etc/hostname'],
  ])('cannot make a command read or write files: %s to %s of %s with %s', async (from, to, file, args) => {
    const response = await service.post(file, { from, to, args });
    expect(response.status).toBe(400);
    expect(await response.text()).toStartWith('The X-Repo-Args header holds ');
    for (const name of ['/tmp/repo-written.jpg', '/tmp/repo-written.mp3'])
      expect(await Bun.file(name).exists()).toBe(false);
  });
});
