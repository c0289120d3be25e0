import type { Maker } from './maker.ts';
import { EMBEDDED_ADDRESS } from './processor-address.ts';

/** The processor of the same process, as far as jobs need it. */
export interface EmbeddedProcessor {
  readonly maxConcurrent: number;
  call(
    request: Request,
  ): Promise<{ response: Response; stderrLine(): string | undefined; exceeded(): string | undefined }>;
  missingFor(sourceType: string, destinationType: string): readonly string[];
  onChange(listener: () => void): void;
}

/** The processor within as a maker: as many jobs at once as it runs commands, or `maxConcurrent`. */
export function createEmbeddedMaker(processor: EmbeddedProcessor, maxConcurrent: number | undefined): Maker {
  let running = 0;
  return {
    free: () => (maxConcurrent ?? processor.maxConcurrent) - running,
    missingFor: (sourceType, mimeType) => processor.missingFor(sourceType, mimeType),
    onChange: (listener) => processor.onChange(listener),
    async run(job) {
      running += 1;
      let isWorking = true;
      const noteEnd = () => {
        if (isWorking) running -= 1;
        isWorking = false;
      };
      let called: Awaited<ReturnType<EmbeddedProcessor['call']>> | undefined;
      try {
        return await job({
          address: EMBEDDED_ADDRESS,
          noteAnswer: () => {},
          noteEnd,
          stderrLine: () => called?.stderrLine(),
          exceeded: () => called?.exceeded(),
          async send(request) {
            called = await processor.call(request);
            return called.response;
          },
        });
      } finally {
        noteEnd();
      }
    },
    stop: () => {},
  };
}
