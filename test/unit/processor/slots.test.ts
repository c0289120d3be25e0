import { describe, expect, it } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import { type Lease, Slots } from '../../../src/processor/slots.ts';
import { serviceError } from '../../support/service-error.ts';

const FULL = serviceError('over-capacity', /^All slots are busy and \d+ requests are waiting already\.$/);
const CLOSED = serviceError('over-capacity', /^The service is shutting down\.$/);
const GONE = serviceError('client-gone', /^The client left/);

const ANY = undefined;
const convert = { key: 'convert', maxConcurrent: 1 };
const cat = { key: 'cat', maxConcurrent: undefined };
const open = () => new AbortController().signal;
/** Lets everything that is due happen. */
const settle = () => setImmediate();

/** Someone in line: what became of them shows in `lease` and `failure`. */
function queue(slots: Slots, command: typeof convert | typeof cat | typeof ANY, signal = open()) {
  const place = { lease: undefined as Lease | undefined, failure: undefined as unknown };
  slots.acquire(command, signal).then(
    (lease) => {
      place.lease = lease;
    },
    (error: unknown) => {
      place.failure = error;
    },
  );
  return place;
}

describe('slots', () => {
  it('are given up to the limit, and then queue requests', async () => {
    const slots = new Slots({ maxConcurrent: 2, maxQueued: 5 });
    const places = [queue(slots, ANY), queue(slots, cat), queue(slots, ANY)];
    await settle();
    expect(places.map((place) => place.lease !== undefined)).toEqual([true, true, false]);
    expect(slots).toMatchObject({ inUse: 2, waiting: 1 });
    places[1]?.lease?.release();
    await settle();
    expect(places[2]?.lease).toBeDefined();
    expect(slots).toMatchObject({ inUse: 2, waiting: 0 });
  });

  it('are given first come, first served', async () => {
    const slots = new Slots({ maxConcurrent: 1, maxQueued: 5 });
    const places = [ANY, cat, ANY, convert].map((command) => queue(slots, command));
    for (const [index, place] of places.entries()) {
      await settle();
      expect(places.map(({ lease }) => lease !== undefined)).toEqual(places.map((_, at) => at <= index));
      place.lease?.release();
    }
    expect(slots).toMatchObject({ inUse: 0, waiting: 0 });
  });

  it.each([[0], [2]])('reject a request immediately when %i are queued', async (maxQueued) => {
    const slots = new Slots({ maxConcurrent: 1, maxQueued });
    const places = Array.from({ length: maxQueued + 2 }, () => queue(slots, ANY));
    await settle();
    expect(places.map(({ failure }) => failure !== undefined)).toEqual([...places.slice(1).map(() => false), true]);
    expect(places.at(-1)?.failure).toEqual(FULL);
    expect(places.at(-1)?.failure).toMatchObject({ headers: { 'Retry-After': '5' } });
  });

  it('count once if released twice', async () => {
    const slots = new Slots({ maxConcurrent: 2, maxQueued: 0 });
    const lease = await slots.acquire(convert, open());
    await slots.acquire(cat, open());
    lease.release();
    lease.release();
    expect(slots.inUse).toBe(1);
  });
});

describe('a full command', () => {
  it('does not block other commands, and keeps its own queue in order', async () => {
    const slots = new Slots({ maxConcurrent: 3, maxQueued: 5 });
    const running = await slots.acquire(convert, open());
    const [second, third, other] = [queue(slots, convert), queue(slots, convert), queue(slots, cat)];
    await settle();
    expect({ second: second.lease, third: third.lease }).toEqual({ second: undefined, third: undefined });
    expect(other.lease).toBeDefined();
    running.release();
    await settle();
    expect(second.lease).toBeDefined();
    expect(third.lease).toBeUndefined();
  });

  it('is overtaken by later requests for other commands', async () => {
    const slots = new Slots({ maxConcurrent: 2, maxQueued: 5 });
    await slots.acquire(convert, open());
    const filler = await slots.acquire(cat, open());
    const [blocked, behind] = [queue(slots, convert), queue(slots, cat)];
    filler.release();
    await settle();
    expect(blocked.lease).toBeUndefined();
    expect(behind.lease).toBeDefined();
  });
});

describe('a client that leaves', () => {
  it('before its request gets no slot', async () => {
    const slots = new Slots({ maxConcurrent: 1, maxQueued: 1 });
    await expect(slots.acquire(ANY, AbortSignal.abort())).rejects.toThrow(GONE);
    expect(slots.inUse).toBe(0);
  });

  it('while waiting loses its place', async () => {
    const slots = new Slots({ maxConcurrent: 1, maxQueued: 2 });
    const running = await slots.acquire(ANY, open());
    const client = new AbortController();
    const [left, stays] = [queue(slots, ANY, client.signal), queue(slots, ANY)];
    client.abort();
    await settle();
    expect(left.failure).toEqual(GONE);
    expect(slots.waiting).toBe(1);
    running.release();
    await settle();
    expect(stays.lease).toBeDefined();
    expect(slots).toMatchObject({ inUse: 1, waiting: 0 });
  });

  it('after admission removes no other client from the queue', async () => {
    const slots = new Slots({ maxConcurrent: 1, maxQueued: 2 });
    const running = await slots.acquire(ANY, open());
    const client = new AbortController();
    const [admitted, waiting] = [queue(slots, ANY, client.signal), queue(slots, ANY)];
    running.release();
    client.abort();
    await settle();
    expect(slots.waiting).toBe(1);
    admitted.lease?.release();
    await settle();
    expect(waiting.lease).toBeDefined();
  });
});

describe('close', () => {
  it('rejects waiting and new requests, and lets running ones finish', async () => {
    const slots = new Slots({ maxConcurrent: 1, maxQueued: 5 });
    const running = await slots.acquire(ANY, open());
    const places = [queue(slots, ANY), queue(slots, convert)];
    slots.close();
    await settle();
    expect(places.map(({ failure }) => failure)).toEqual([CLOSED, CLOSED]);
    expect(places[0]?.failure).toMatchObject({ headers: { 'Retry-After': '5', Connection: 'close' } });
    running.release();
    await expect(slots.acquire(ANY, open())).rejects.toThrow(CLOSED);
    expect(slots).toMatchObject({ inUse: 0, waiting: 0 });
  });
});

describe('configure', () => {
  it('admits waiting requests when the limit is raised', async () => {
    const slots = new Slots({ maxConcurrent: 1, maxQueued: 5 });
    const places = [ANY, ANY, ANY].map((command) => queue(slots, command));
    slots.configure({ maxConcurrent: 2, maxQueued: 5 });
    await settle();
    expect(places.map(({ lease }) => lease !== undefined)).toEqual([true, true, false]);
    expect(slots.limits).toEqual({ maxConcurrent: 2, maxQueued: 5 });
  });

  it('keeps running commands when the limit is lowered, and admits none above it', async () => {
    const slots = new Slots({ maxConcurrent: 2, maxQueued: 5 });
    const [first, second] = [await slots.acquire(ANY, open()), await slots.acquire(ANY, open())];
    slots.configure({ maxConcurrent: 1, maxQueued: 5 });
    const next = queue(slots, ANY);
    first.release();
    await settle();
    expect(next.lease).toBeUndefined();
    second.release();
    await settle();
    expect(next.lease).toBeDefined();
  });
});

describe('a lease that gets its command later', () => {
  it('counts for that command from then on, and only once', async () => {
    const slots = new Slots({ maxConcurrent: 3, maxQueued: 5 });
    const lease = await slots.acquire(ANY, open());
    await lease.forCommand(convert, open());
    expect(slots.inUse).toBe(1);
    const next = queue(slots, convert);
    await settle();
    expect(next.lease).toBeUndefined();
    lease.release();
    await settle();
    expect(next.lease).toBeDefined();
  });

  it('gives its slot to others while the command is full', async () => {
    const slots = new Slots({ maxConcurrent: 2, maxQueued: 5 });
    const running = await slots.acquire(convert, open());
    const lease = await slots.acquire(ANY, open());
    const other = queue(slots, cat);
    const extended = lease.forCommand(convert, open());
    await settle();
    expect(other.lease).toBeDefined();
    running.release();
    await extended;
    expect(slots).toMatchObject({ inUse: 2, waiting: 0 });
    lease.release();
    other.lease?.release();
    expect(slots.inUse).toBe(0);
  });

  it.each([
    ['the client leaves', GONE, 5, (client: AbortController) => client.abort()],
    ['the service shuts down', CLOSED, 5, (_client: AbortController, slots: Slots) => slots.close()],
    ['the queue is full', FULL, 0, () => undefined],
  ])('is released when %s', async (_, failure, maxQueued, act) => {
    const slots = new Slots({ maxConcurrent: 2, maxQueued });
    await slots.acquire(convert, open());
    const lease = await slots.acquire(ANY, open());
    const client = new AbortController();
    const extended = lease.forCommand(convert, client.signal).catch((error: unknown) => error);
    act(client, slots);
    expect(await extended).toEqual(failure);
    lease.release();
    expect(slots).toMatchObject({ inUse: 1, waiting: 0 });
  });
});
