import { describe, expect, it } from 'bun:test';
import type { Scheme } from '../../../../src/repository/files/scheme.ts';
import { requireRoom } from '../../../../src/repository/uploads/require-room.ts';
import type { Storage } from '../../../../src/storage/storage.ts';

/** A store on a disk with this free space; without a disk if that is undefined. */
function storeOn(id: string, freeBytes: number | undefined): Scheme {
  const disk = freeBytes === undefined ? {} : { disk: async () => ({ id, freeBytes }) };
  return { name: id, storeIn: id, storage: disk as Storage };
}

describe('the required space', () => {
  it.each([
    ['is the sum for two stores on one disk', 'a', 'a', false],
    ['is separate for stores on two disks', 'a', 'b', true],
  ])('%s', async (_, first, second, fits) => {
    const needs = [first, second].map((id) => ({ store: storeOn(id, 6_000_000), bytes: 4_000_000 }));
    const outcome = await requireRoom(needs).catch((error: unknown) => error);
    if (fits) expect(outcome).toBeUndefined();
    else
      expect(outcome).toMatchObject({
        kind: 'storage-full',
        publicMessage:
          'The server has no room for this file. It needs 8.0 MB of space until it is saved, and 6.0 MB are free.',
      });
  });

  it('may use the last byte of a disk', async () => {
    const need = (bytes: number) => requireRoom([{ store: storeOn('a', 10), bytes }]);
    await need(10);
    expect(await need(11).catch(({ kind }) => kind)).toBe('storage-full');
  });

  it('is unlimited in a bucket', async () => {
    await requireRoom([{ store: storeOn('a', undefined), bytes: Number.MAX_SAFE_INTEGER }]);
  });
});
