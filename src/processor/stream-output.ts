import type { ServiceError } from '../base/errors.ts';
import { declareMaxOutput, LIMIT_HEADER } from '../base/limit-header.ts';
import { noteStreamed } from '../base/release-memory.ts';
import type { RequestRecord } from '../http/request-log.ts';
import { type HeldOutput, holdOutput } from './hold-output.ts';
import type { CommandRun } from './run-command.ts';
import { sniffType } from './sniff-type.ts';

export type RunOutcome = 'ok' | ServiceError['kind'] | 'error';

export interface OutputOptions {
  record: RequestRecord;
  /** What the output is, where the configuration or the request says so. */
  contentType: string | undefined;
  /** Called once, when the run has ended and all is known of it. */
  onEnd(outcome: RunOutcome): void;
  /** Called once after that, if the answer was a stream. */
  onStreamEnd(): void;
}

/**
 * Answers with the output of a run. Output that is short and complete becomes a body of known length;
 * longer output is streamed as the client takes it. Throws what failed the run, as long as that can
 * still be the status; later the connection is cut, so that half a file never looks like a whole one.
 */
export async function answerWithOutput(run: CommandRun, options: OutputOptions): Promise<Response> {
  const { record, contentType } = options;
  let held: HeldOutput;
  try {
    held = await holdOutput(run);
    if (run.failure !== undefined) throw run.failure;
    if (held.pending === undefined) await run.finish();
  } catch (error) {
    await end(run, options, error);
    throw error;
  }
  const headers = { 'Content-Type': contentType ?? sniffType(held.chunks) };
  if (held.pending === undefined) {
    record.bytesOut = held.bytes;
    await end(run, options, undefined);
    return new Response(new Blob(held.chunks as Uint8Array<ArrayBuffer>[]), { headers });
  }
  record.isStreaming = true;
  const limit = run.maxOutputBytes && { [LIMIT_HEADER]: declareMaxOutput(run.maxOutputBytes) };
  return new Response(streamOutput(run, held, options), { headers: { ...headers, ...limit } });
}

function streamOutput(run: CommandRun, held: HeldOutput, options: OutputOptions): ReadableStream<Uint8Array> {
  const { record, onStreamEnd } = options;
  const next = () => {
    const early = held.chunks.shift() ?? held.pending;
    if (early === held.pending) held.pending = undefined;
    return early ?? run.read();
  };
  let hasEnded = false;
  const conclude = async (error: unknown, close: () => void) => {
    if (hasEnded) return;
    hasEnded = true;
    await end(run, options, error);
    close();
    onStreamEnd();
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // Cuts the connection, also of a client that does not read. Bun prints an error that is given here;
        // ours is in the log already.
        run.onFailure((reason) => void conclude(reason, () => controller.error(undefined)));
      },
      async pull(controller) {
        try {
          const chunk = await next();
          if (chunk !== undefined) {
            record.bytesOut += chunk.byteLength;
            noteStreamed(chunk.byteLength);
            controller.enqueue(chunk);
            return;
          }
          await run.finish();
          await conclude(undefined, () => controller.close());
        } catch (error) {
          await conclude(error, () => controller.error(undefined));
        }
      },
      cancel: () => run.abandon(),
    },
    { highWaterMark: 0 },
  );
}

/** Notes how a run ended, for the log and the counters. */
async function end(run: CommandRun, { record, onEnd }: OutputOptions, error: unknown): Promise<void> {
  record.endSilence();
  const { code, signal, stderr } = await run.exit();
  Object.assign(record.facts, { exit_code: code, ...(signal && { signal }), ...(stderr && { stderr }) });
  record.failure = error;
  onEnd(error === undefined ? 'ok' : ((error as ServiceError).kind ?? 'error'));
}
