/** The time to wait for an event elsewhere: only a failing test takes that long. */
const DEADLINE_S = 20;
const LOOK_EVERY_MS = 5;

type Nothing = undefined | null | false;

interface Waiting {
  /** The awaited event, for the message (default: the source of `look`). */
  readonly what?: string;
  readonly seconds?: number;
  /** Returns the state for the message. */
  readonly tell?: () => unknown;
}

/** Waits until `look` returns a value or true, and returns it. Throws after 20 seconds or `seconds`. */
export async function until<T>(
  look: () => Nothing | T | Promise<Nothing | T>,
  { what, seconds = DEADLINE_S, tell = () => undefined }: Waiting = {},
): Promise<T> {
  const deadline = performance.now() + seconds * 1_000;
  for (;;) {
    const found = await look();
    if (found !== undefined && found !== null && found !== false) return found;
    if (performance.now() > deadline)
      throw new Error(`${what ?? look}: not within ${seconds} s ${JSON.stringify(tell()) ?? ''}`.trimEnd());
    await Bun.sleep(LOOK_EVERY_MS);
  }
}

/** The number of equal looks after which a value counts as still. */
const STILL_LOOKS = 20;

/** Waits until a number no longer changes, such as the bytes taken from a source, and returns it. */
export async function untilStill(read: () => number): Promise<number> {
  let last = read();
  let equalLooks = 0;
  await until(() => {
    const value = read();
    equalLooks = value === last ? equalLooks + 1 : 0;
    last = value;
    return equalLooks >= STILL_LOOKS;
  });
  return last;
}

/** Waits for the beginning of the next second, so that a time in seconds differs. */
export async function nextSecond(): Promise<void> {
  const second = Math.floor(Date.now() / 1000);
  await until(() => Math.floor(Date.now() / 1000) > second);
}
