import { describe, expect, it } from 'bun:test';
import type { Identity } from '../../../src/api/identify.ts';
import { createKnownCallers } from '../../../src/api/known-callers.ts';

const identity = { authentication: 'basic_auth' } as Identity;

function createCallers() {
  const state = { generation: 1, now: 0 };
  const callers = createKnownCallers(
    async () => state.generation,
    () => state.now,
  );
  const isKnown = async (header: string, address: string) =>
    (await callers.look(header, address)).identity === identity;
  return { state, callers, isKnown };
}

describe('a caller who was found good', () => {
  it('is known again by the same header from the same address, and by no other', async () => {
    const { callers, isKnown } = createCallers();
    (await callers.look('Basic a', '192.0.2.1')).remember(identity);
    expect(await isKnown('Basic a', '192.0.2.1')).toBe(true);
    expect(await isKnown('Basic b', '192.0.2.1')).toBe(false);
    expect(await isKnown('Basic a', '192.0.2.2')).toBe(false);
  });

  it('is forgotten after a minute', async () => {
    const { callers, isKnown, state } = createCallers();
    (await callers.look('Basic a', '')).remember(identity);
    state.now = 59_000;
    expect(await isKnown('Basic a', '')).toBe(true);
    state.now = 60_000;
    expect(await isKnown('Basic a', '')).toBe(false);
  });

  it('is forgotten when any account changes', async () => {
    const { callers, isKnown, state } = createCallers();
    (await callers.look('Basic a', '')).remember(identity);
    state.generation = 2;
    expect(await isKnown('Basic a', '')).toBe(false);
  });

  it('is not remembered if an account changed while the password was checked', async () => {
    const { callers, isKnown, state } = createCallers();
    const looked = await callers.look('Basic a', '');
    state.generation = 2;
    looked.remember(identity);
    expect(await isKnown('Basic a', '')).toBe(false);
  });
});
