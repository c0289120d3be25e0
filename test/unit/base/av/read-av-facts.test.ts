import { describe, expect, it } from 'bun:test';
import { readAvFacts } from '../../../../src/base/av/read-av-facts.ts';

const fixture = (name: string) => Bun.file(new URL(`../../../fixtures/av/${name}`, import.meta.url)).bytes();
const NOTHING = { seconds: undefined, width: undefined, height: undefined };

/** Reads facts of bytes, and counts the bytes that were read. */
async function read(bytes: Uint8Array, mimeType: string) {
  let read = 0;
  const facts = await readAvFacts({
    mimeType,
    bytes: bytes.byteLength,
    readAt: async (offset, length) => {
      const part = bytes.slice(offset, offset + length);
      read += part.byteLength;
      return part;
    },
  });
  return { facts, read };
}

function box(type: string, ...content: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.concat([Buffer.alloc(8), ...content]);
  bytes.writeUInt32BE(bytes.length);
  bytes.write(type, 4, 'latin1');
  return new Uint8Array(bytes);
}

/** A movie header of 12.5 seconds, in either version. */
function movieHeader(version: 0 | 1): Uint8Array {
  const bytes = Buffer.alloc(version === 1 ? 108 : 96);
  bytes[0] = version;
  bytes.writeUInt32BE(1000, version === 1 ? 20 : 12);
  if (version === 1) bytes.writeBigUInt64BE(12_500n, 24);
  else bytes.writeUInt32BE(12_500, 16);
  return box('mvhd', bytes);
}

describe('the facts of audio and video', () => {
  it.each([
    ['two-seconds.mp4', 'video/mp4', { seconds: 2, width: 64, height: 48 }],
    ['two-seconds.webm', 'video/webm', { seconds: 2, width: 64, height: 48 }],
    ['turned.mp4', 'video/mp4', { seconds: 2, width: 240, height: 320 }],
    ['anamorphic.mp4', 'video/mp4', { seconds: 2, width: 427, height: 240 }],
    ['two-seconds.mp3', 'audio/mpeg', { ...NOTHING, seconds: 2.038 }],
    ['two-seconds.ogg', 'audio/ogg', { ...NOTHING, seconds: 2 }],
  ])('are read from %s', async (name, mimeType, facts) => {
    expect((await read(await fixture(name), mimeType)).facts).toEqual(facts);
  });

  it('are read from a movie box of either version, before or after its data', async () => {
    for (const version of [0, 1] as const) {
      const movie = box('moov', movieHeader(version));
      const data = box('mdat', new Uint8Array(3_000_000));
      for (const parts of [
        [movie, data],
        [data, movie],
      ]) {
        const { facts, read: bytes } = await read(Buffer.concat([box('ftyp'), ...parts]), 'video/mp4');
        expect(facts).toEqual({ ...NOTHING, seconds: 12.5 });
        expect(bytes).toBeLessThan(200_000);
      }
    }
  });

  it('are empty for damaged files', async () => {
    for (const name of ['two-seconds.mp4', 'two-seconds.webm', 'two-seconds.mp3', 'two-seconds.ogg']) {
      const bytes = await fixture(name);
      for (let length = 0; length < bytes.length; length += Math.ceil(bytes.length / 40)) {
        const { facts } = await read(bytes.slice(0, length), 'video/mp4');
        expect(Object.keys(facts)).toEqual(Object.keys(NOTHING));
      }
    }
    for (const huge of [0xffffffff, 1, 0, 7])
      for (const type of ['ftyp', 'moov', 'mdat']) {
        const bytes = Buffer.from(box(type, movieHeader(0)));
        bytes.writeUInt32BE(huge);
        expect(Object.keys((await read(bytes, 'video/mp4')).facts)).toEqual(Object.keys(NOTHING));
      }
  });

  it('are read from part of a large file, within a second', async () => {
    const types = ['audio/mpeg', 'video/webm', 'audio/ogg', 'video/mp4', 'video/x-msvideo', 'audio/flac'];
    for (const fill of [0, 0x1a, 0x4f, 0xff]) {
      const bytes = new Uint8Array(50_000_000).fill(fill);
      for (const type of types) {
        const { facts, read: count } = await read(bytes, type);
        expect(facts).toEqual(NOTHING);
        expect(count).toBeLessThan(33_000_000);
      }
    }
  });

  it('are unavailable if the storage fails, whose error is passed on', async () => {
    const broken = { mimeType: 'audio/mpeg', bytes: 100, readAt: () => Promise.reject(new Error('no disk')) };
    expect(readAvFacts(broken)).rejects.toThrow('no disk');
  });
});
