import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createImageCache, type ImageCache } from '../../../../src/iiif/image/image-cache.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';
import { until } from '../../../support/until.ts';

const MAX_BYTES = 1000;
const CLIENT = { signal: new AbortController().signal, network: '192.0.2.0/24' };

let folder: string;
let warnings: unknown[];
beforeEach(async () => {
  folder = await emptyFolder();
  warnings = [];
});
afterEach(async () => {
  expect(warnings).toEqual([]);
  await rm(folder, { recursive: true });
});

const open = (maxBytes = MAX_BYTES) =>
  createImageCache({ folder, maxBytes, warn: (_message, cause) => void warnings.push(cause) });
const key = (number: number) => number.toString(16).padStart(64, '0');
const streamOf = (...chunks: string[]) => new Blob(chunks).stream();
const textOf = async (cache: ImageCache, number: number, make: () => Promise<ReadableStream<Uint8Array>>) =>
  new Response((await cache.read(key(number), CLIENT, make)).open()).text();
const names = async () =>
  (await readdir(folder, { recursive: true, withFileTypes: true })).flatMap((each) =>
    each.isFile() ? [each.name] : [],
  );

describe('the cache of computed images', () => {
  it('computes a file once for several callers and processes', async () => {
    let made = 0;
    const make = async () => {
      made += 1;
      return streamOf('pixels');
    };
    const [first, second] = [open(), open()];
    expect(await Promise.all([1, 2, 3].map(() => textOf(first, 1, make)))).toEqual(Array(3).fill('pixels'));
    expect(await textOf(second, 1, make)).toBe('pixels');
    expect(made).toBe(1);
  });

  it('admits and measures each computation, and asks for no file that it has', async () => {
    const cache = open();
    const spent: number[] = [];
    let admitted = 0;
    const client = {
      ...CLIENT,
      spent: (milliseconds: number) => void spent.push(milliseconds),
      admitted: <T>(work: () => Promise<T>) => {
        admitted += 1;
        return work();
      },
    };
    const make = async () => streamOf('pixels');
    for (const number of [1, 1, 2, 1]) await (await cache.read(key(number), client, make)).close();
    expect({ admitted, measured: spent.length }).toEqual({ admitted: 2, measured: 2 });
  });

  it('computes nothing for a client that is not admitted', async () => {
    const cache = open();
    let made = 0;
    const refused = { ...CLIENT, admitted: () => Promise.reject(new Error('no budget')) };
    const make = async () => {
      made += 1;
      return streamOf('pixels');
    };
    await expect(cache.read(key(1), refused, make)).rejects.toThrow('no budget');
    expect(made).toBe(0);
    expect(await textOf(cache, 1, make)).toBe('pixels');
    expect(await (await cache.read(key(1), refused, make)).close()).toBeUndefined();
  });

  it('returns large files completely', async () => {
    const chunk = 'x'.repeat(100_000);
    const chunks = Array.from({ length: 30 }, (_, at) => `${at}${chunk}`);
    const text = await textOf(open(10_000_000), 1, async () => streamOf(...chunks));
    expect(text).toBe(chunks.join(''));
  });

  it('keeps no part of a failed file, and computes it again', async () => {
    const cache = open();
    const broken = async () =>
      new ReadableStream<Uint8Array>({
        pull(controller) {
          controller.enqueue(new Uint8Array(10));
          controller.error(new Error('killed'));
        },
      });
    await expect(textOf(cache, 1, broken)).rejects.toThrow('killed');
    await expect(textOf(cache, 1, async () => streamOf(''))).rejects.toThrow('empty');
    expect(await names()).toEqual([]);
    expect(await textOf(cache, 1, async () => streamOf('whole'))).toBe('whole');
  });

  it('keeps no part of a file whose client has left', async () => {
    const cache = open();
    const controller = new AbortController();
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    const read = cache.read(key(1), { ...CLIENT, signal: controller.signal }, async (signal) => {
      const body = new ReadableStream<Uint8Array>({
        start(stream) {
          stream.enqueue(new Uint8Array(10));
          signal.addEventListener('abort', () => {
            stream.error(new Error('killed'));
            resolve();
          });
          controller.abort();
        },
      });
      return body;
    });
    await expect(read).rejects.toThrow('The client has left');
    await aborted;
    await until(async () => (await names()).length === 0);
    expect(await textOf(cache, 1, async () => streamOf('whole'))).toBe('whole');
  });

  it('removes the oldest files beyond its limit, except those being read', async () => {
    const cache = open();
    const held = await cache.read(key(1), CLIENT, async () => streamOf('first'.repeat(20)));
    await utimes(join(folder, '00', key(1)), 1, 1);
    for (let number = 2; number <= 15; number++) {
      await textOf(cache, number, async () => streamOf('y'.repeat(100)));
      await utimes(join(folder, '00', key(number)), number, number);
    }
    await until(async () => (await names()).length <= 8);
    expect(await names()).toContain(key(15));
    expect(await names()).not.toContain(key(1));
    expect(await new Response(held.open()).text()).toBe('first'.repeat(20));
  });

  it('removes files of a killed process, but not those being written', async () => {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'part-old'), 'x');
    await utimes(join(folder, 'part-old'), 1, 1);
    await writeFile(join(folder, 'part-new'), 'x');
    await textOf(open(), 1, async () => streamOf('pixels'));
    await until(async () => !(await names()).includes('part-old'));
    expect((await names()).sort()).toEqual([key(1), 'part-new']);
  });
});
