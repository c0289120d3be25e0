/** Runs work that Ctrl-C and TERM interrupt. A second signal ends the process at once. */
export async function withStopSignal<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ended = new AbortController();
  const stop = () => ended.abort(new Error('interrupted'));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  try {
    return await work(ended.signal);
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop);
  }
}

/** Runs work like `withStopSignal`. If it was interrupted, prints `whenStopped` on standard error, returns undefined. */
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
