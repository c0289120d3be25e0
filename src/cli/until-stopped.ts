/**
 * Does work that Ctrl-C and TERM may end. Answers undefined, and says `whenStopped` on standard error, if one of them
 * did; a second one ends the process at once, as everywhere.
 */
export async function untilStopped<T>(
  whenStopped: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const ended = new AbortController();
  const stop = () => ended.abort(new Error('it was broken off'));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  try {
    return await work(ended.signal);
  } catch (error) {
    if (!ended.signal.aborted || error !== ended.signal.reason) throw error;
    console.error(whenStopped);
    return undefined;
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop);
  }
}
