import { afterAll, expect, it, spyOn } from 'bun:test';
import { noteStreamed } from '../../../src/base/release-memory.ts';

const MIB = 1024 ** 2;
let resident = 100 * MIB;
/** The duration of a collection, in milliseconds. */
let collectionMs = 0;
let now = 0;
const clock = spyOn(performance, 'now').mockImplementation(() => now);

// Twice the memory with each look: there is always enough growth for a collection.
const rss = spyOn(process.memoryUsage, 'rss').mockImplementation(() => {
  resident += 100 * MIB;
  return resident;
});
const collect = spyOn(Bun, 'gc').mockImplementation(() => {
  now += collectionMs;
  return 0;
});
afterAll(() => {
  clock.mockRestore();
  rss.mockRestore();
  collect.mockRestore();
});

/** Streams `bytes` in parts of 64 KiB. Returns the number of collections. */
function collectionsFor(bytes: number): number {
  collect.mockClear();
  for (let sent = 0; sent < bytes; sent += 65_536) noteStreamed(65_536);
  return collect.mock.calls.length;
}

it('noteStreamed collects at each check while collections are quick', () => {
  // Pays for the last collection of this process, if it was slow.
  collectionsFor(40 * MIB);
  expect(collectionsFor(40 * MIB)).toBe(20);
});

it('noteStreamed collects rarely while collections are slow', () => {
  collectionMs = 20;
  collectionsFor(8 * MIB);
  // A collection of 20 ms is paid for by 20 MiB.
  expect(collectionsFor(800 * MIB)).toBe(40);
});

it('noteStreamed collects at least every 32 MiB, even if collections are slow', () => {
  collectionMs = 500;
  collectionsFor(40 * MIB);
  expect(collectionsFor(320 * MIB)).toBe(10);
});

it('noteStreamed collects at each check again once collections are quick', () => {
  collectionMs = 0;
  collectionsFor(100 * MIB);
  expect(collectionsFor(40 * MIB)).toBe(20);
});
