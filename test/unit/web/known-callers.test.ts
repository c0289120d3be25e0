import { describe, expect, it } from 'bun:test';
import type { Identity } from '../../../src/web/known-callers.ts';
import { createKnownCallers } from '../../../src/web/known-callers.ts';

const identity = { authentication: 'basic_auth' } as Identity;

function createCallers() {
  const state: { generation: number | undefined; now: number } = { generation: 1, now: 0 };
  const callers = createKnownCallers(
    () => state.generation,
    () => state.now,
  );
  const isKnown = (header: string, address: string) => callers.find(header, address).identity === identity;
  return { state, callers, isKnown };
}

describe('a caller with valid credentials', () => {
  it('is recognised by the same header from the same address only', () => {
    const { callers, isKnown } = createCallers();
    callers.find('Basic a', '192.0.2.1').remember(identity);
    expect(isKnown('Basic a', '192.0.2.1')).toBe(true);
    expect(isKnown('Basic b', '192.0.2.1')).toBe(false);
    expect(isKnown('Basic a', '192.0.2.2')).toBe(false);
  });

  it('is forgotten after a minute', () => {
    const { callers, isKnown, state } = createCallers();
    callers.find('Basic a', '').remember(identity);
    state.now = 59_000;
    expect(isKnown('Basic a', '')).toBe(true);
    state.now = 60_000;
    expect(isKnown('Basic a', '')).toBe(false);
  });

  it('is forgotten when any account changes', () => {
    const { callers, isKnown, state } = createCallers();
    callers.find('Basic a', '').remember(identity);
    state.generation = 2;
    expect(isKnown('Basic a', '')).toBe(false);
  });

  it('is not remembered if an account changed while the password was checked', () => {
    const { callers, isKnown, state } = createCallers();
    const lookup = callers.find('Basic a', '');
    state.generation = 2;
    lookup.remember(identity);
    expect(isKnown('Basic a', '')).toBe(false);
  });

  it('is not cached while the account generation is unknown', () => {
    const { callers, isKnown, state } = createCallers();
    callers.find('Basic a', '').remember(identity);
    state.generation = undefined;
    expect(isKnown('Basic a', '')).toBe(false);
    callers.find('Basic b', '').remember(identity);
    state.generation = 1;
    expect({ known: isKnown('Basic a', ''), unknown: isKnown('Basic b', '') }).toEqual({ known: true, unknown: false });
  });
});
