import { expect, it } from 'bun:test';
import { asPromised, paste, type Reader, type Transcript } from './examples.ts';

/** Long enough for a slow machine, where servers are started, and commands end. */
export const PATIENCE_MS = 120_000;

/** Has a test paste each of a page's transcripts in turn, and compare what comes out. */
export function testTranscripts(shown: readonly Transcript[], reader: () => Reader): void {
  it.each(shown.map((transcript) => [transcript.line, transcript] as const))(
    'shows in line %d what really happens',
    async (_, { commands, output }) => {
      const result = await paste(commands, reader());
      expect({ ...result, output: asPromised(result.output, output) }).toEqual({ code: 0, output, errors: '' });
    },
    PATIENCE_MS,
  );
}
