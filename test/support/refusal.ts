/** Returns the error with which a promise rejects. Throws if it resolves. */
export async function refusal(work: Promise<unknown>): Promise<unknown> {
  const outcome = await work.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  if (outcome === undefined) throw new Error('it did not fail');
  return outcome.error;
}
