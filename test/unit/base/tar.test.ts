import { beforeAll, describe, expect, it } from 'bun:test';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { packTar, type TarEntry } from '../../../src/base/tar.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import { readTar } from '../../support/read-tar.ts';

let folder: string;
beforeAll(async () => {
  folder = await emptyFolder();
});

const textEntry = (name: string, text: string, bytes = Buffer.byteLength(text)): TarEntry => ({
  name,
  bytes,
  modified: 1_700_000_000,
  open: async () => new Blob([text]),
});

async function* inTurn(...entries: TarEntry[]): AsyncGenerator<TarEntry> {
  yield* entries;
}

async function whole(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const found: Uint8Array[] = [];
  for await (const chunk of chunks) found.push(chunk);
  return Buffer.concat(found);
}

/** Zeros, made as they are read. */
function zeros(bytes: number, onRead: (bytes: number) => void, onCancel = () => {}): ReadableStream<Uint8Array> {
  let left = bytes;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = new Uint8Array(Math.min(left, 64 * 1024));
        left -= chunk.byteLength;
        onRead(chunk.byteLength);
        controller.enqueue(chunk);
        if (left === 0) controller.close();
      },
      cancel: onCancel,
    },
    { highWaterMark: 0 },
  );
}

/** The output of tar(1) for an archive. */
async function listed(archive: Uint8Array): Promise<string> {
  const child = Bun.spawn(['tar', '-tvf', '-', '--utc'], { stdin: archive, stdout: 'pipe', stderr: 'pipe' });
  return (await new Response(child.stdout).text()).replaceAll(/ +/g, ' ');
}

describe('a tar archive', () => {
  it('contains its files unchanged, even empty ones', async () => {
    const archive = await whole(
      packTar(inTurn(textEntry('a.txt', 'first'), textEntry('b', ''), textEntry('c', 'last'))),
    );
    const found = await readTar(archive);
    expect(found.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()])).toEqual([
      ['a.txt', 'first'],
      ['b', ''],
      ['c', 'last'],
    ]);
    expect((await listed(archive)).split('\n')[0]).toBe('-rw-r--r-- 0/0 5 2023-11-14 22:13 a.txt');
  });

  it('is empty without files', async () => {
    expect(await whole(packTar(inTurn()))).toEqual(Buffer.alloc(1024));
  });

  it('supports sizes beyond the octal limit and dates after 2038', async () => {
    const big = {
      ...textEntry('big.tif', ''),
      bytes: 9 * 2 ** 30,
      modified: 4_000_000_000,
      open: async () => zeros(9 * 2 ** 30, () => {}),
    };
    const chunks = packTar(inTurn(big));
    const { value: head } = await chunks.next();
    await chunks.return();
    expect(await listed(head as Uint8Array)).toBe('-rw-r--r-- 0/0 9663676416 2038-01-19 03:14 big.tif\n');
  });

  it.each([
    ['fewer', 6, 'a was announced with 6 bytes, and has 5'],
    ['more', 4, 'a was announced with 4 bytes, and has more'],
    ['no', 1, 'b was announced with 1 bytes, and has 0'],
  ])('fails if a file has %s bytes than declared', async (_what, bytes, message) => {
    const [name, text] = message.startsWith('b') ? ['b', ''] : ['a', 'bytes'];
    const found: Uint8Array[] = [];
    const reading = (async () => {
      for await (const chunk of packTar(inTurn(textEntry('0', 'x'), textEntry(name, text, bytes), textEntry('z', 'z'))))
        found.push(chunk);
    })();
    await expect(reading).rejects.toThrow(message);
    await expect(readTar(Buffer.concat(found))).rejects.toThrow('without an end');
  });

  it('fails with the error of reading a file or finding the next', async () => {
    const broken = (): Promise<Blob> => Promise.reject(new Error('no such object'));
    await expect(whole(packTar(inTurn({ ...textEntry('a', 'x'), open: broken })))).rejects.toThrow('no such object');
    const none = (async function* (): AsyncGenerator<TarEntry> {
      yield textEntry('a', 'x');
      throw new Error('no such row');
    })();
    await expect(whole(packTar(none))).rejects.toThrow('no such row');
  });

  it('reads its files no faster than it is read', async () => {
    let read = 0;
    const entry = {
      ...textEntry('a', ''),
      bytes: 2 ** 30,
      open: async () => zeros(2 ** 30, (bytes) => (read += bytes)),
    };
    const chunks = packTar(inTurn(entry));
    let got = 0;
    for (let count = 0; count < 40; count++) {
      got += (await chunks.next()).value?.byteLength ?? 0;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(read - got).toBeLessThan(512 * 1024);
    await chunks.return();
  });

  it('closes its files when its reader cancels', async () => {
    const seen: string[] = [];
    const entries = (async function* (): AsyncGenerator<TarEntry> {
      try {
        for (const name of ['a', 'b']) {
          const open = async () =>
            zeros(
              2 ** 30,
              () => {},
              () => void seen.push(`${name} is cancelled`),
            );
          yield { ...textEntry(name, ''), bytes: 2 ** 30, open };
        }
      } finally {
        seen.push('no more is looked up');
      }
    })();
    const chunks = packTar(entries);
    for (let count = 0; count < 5; count++) await chunks.next();
    await chunks.return();
    expect(seen).toEqual(['a is cancelled', 'no more is looked up']);
    const unread = { ...textEntry('c', 'x'), open: () => Promise.reject(new Error('opened')) };
    expect(await packTar(inTurn(unread)).return()).toEqual({ done: true, value: undefined });
  });

  it('reads files from disk', async () => {
    const path = join(folder, 'page.png');
    const bytes = crypto.getRandomValues(new Uint8Array(60_000));
    await Bun.write(path, bytes);
    const entry = { ...textEntry('1.png', ''), bytes: bytes.byteLength, open: async () => Bun.file(path) };
    const [found] = await readTar(await whole(packTar(inTurn(entry, entry))));
    expect(found?.bytes).toEqual(Buffer.from(bytes));
    await rm(path);
    await expect(whole(packTar(inTurn(entry)))).rejects.toThrow('ENOENT');
  });
});
