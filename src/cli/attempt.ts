import { EXIT, type ExitCode } from './exit-code.ts';

/**
 * Runs a command and answers its exit code. A failure that can be explained is told in a sentence on standard
 * error; one that nobody foresaw is thrown on, with all that helps to find it.
 */
export async function attempt(work: () => Promise<ExitCode>): Promise<ExitCode> {
  try {
    return await work();
  } catch (error) {
    const { explainFailure } = await import('../modes/explain-failure.ts');
    const explanation = explainFailure(error);
    if (explanation === undefined) throw error;
    console.error(explanation);
    return EXIT.failure;
  }
}
