/** Does work that Ctrl-C and TERM may end; a second one ends the process at once, as everywhere. */
export async function withStopSignal<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ended = new AbortController();
  const stop = () => ended.abort(new Error('it was broken off'));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  try {
    return await work(ended.signal);
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop);
  }
}

/** As `withStopSignal`; answers undefined, and says `whenStopped` on standard error, if the work was ended so. */
export function unlessStopped<T>(
  whenStopped: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  return withStopSignal(async (signal) => {
    try {
      return await work(signal);
    } catch (error) {
      if (!signal.aborted || error !== signal.reason) throw error;
      console.error(whenStopped);
      return undefined;
    }
  });
}
