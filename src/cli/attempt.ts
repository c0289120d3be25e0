/** The exit codes of the program. */
export const EXIT = { ok: 0, failure: 1, usage: 2 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Runs a command. Returns its exit code. Prints expected errors on standard error, and throws any other. */
export async function attempt(work: () => Promise<ExitCode>): Promise<ExitCode> {
  try {
    return await work();
  } catch (error) {
    const { explainFailure } = await import('../server/explain-failure.ts');
    const explanation = explainFailure(error);
    if (explanation === undefined) throw error;
    console.error(explanation);
    return EXIT.failure;
  }
}
