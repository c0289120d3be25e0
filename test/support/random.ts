/** Numbers that look random and are the same for the same seed (mulberry32). */
export interface Random {
  /** From 0 up to, but without, 1. */
  fraction(): number;
  /** A whole number from 0 up to, but without, `end`. */
  below(end: number): number;
  pick<T>(list: readonly T[]): T;
  bytes(length: number): Uint8Array<ArrayBuffer>;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const below = (end: number) => Math.floor((next() / 2 ** 32) * end);
  return {
    fraction: () => next() / 2 ** 32,
    below,
    pick: (list) => list[below(list.length)] as (typeof list)[number],
    bytes(length) {
      const words = new Uint32Array(Math.ceil(length / 4));
      for (let index = 0; index < words.length; index++) words[index] = next();
      return new Uint8Array(words.buffer, 0, length);
    },
  };
}
