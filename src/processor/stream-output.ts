import type { ServiceError } from '../base/errors.ts';
import { freeChunk } from '../base/free-chunk.ts';
import { declareMaxOutput, LIMIT_HEADER } from '../base/limit-header.ts';
import { noteStreamed } from '../base/release-memory.ts';
import type { RequestRecord } from '../http/request-log.ts';
import type { CommandRun } from './run-command.ts';

/** The number of bytes at the start of the output that determine its type. */
const SNIFF_BYTES = 4096;

export type RunOutcome = 'ok' | ServiceError['kind'] | 'error';

interface OutputOptions {
  record: RequestRecord;
  /** The type of the output, if the configuration or the request names one. */
  contentType: string | undefined;
  /** Called once, when the run has ended. */
  onEnd(outcome: RunOutcome): void;
  /** Called once after that, if the answer was a stream. */
  onStreamEnd(): void;
}

/**
 * Answers with the output of a run. Short and complete output becomes a body of known length; longer output is streamed at
 * the pace of the client. Throws the failure of the run as long as it can still be the status. Later failures cut the
 * connection, so that a truncated file never looks complete.
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
    // A response copies its bytes and frees the copy when it is sent; a Blob would wait for the garbage collector.
    const bytes = Buffer.concat(held.chunks);
    const response = new Response(bytes, { headers });
    for (const chunk of [bytes, ...held.chunks]) freeChunk(chunk);
    return response;
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
  let sent: Uint8Array | undefined;
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
        // A port asks for the next chunk when it has sent or copied the last one; a caller within this process keeps it.
        if (sent !== undefined && record.isFromNetwork) freeChunk(sent);
        try {
          const chunk = await next();
          sent = chunk;
          if (chunk !== undefined) {
            record.bytesOut += chunk.byteLength;
            if (!record.isFromNetwork) noteStreamed(chunk.byteLength);
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

/** Records the outcome of a run for the log and the metrics. */
async function end(run: CommandRun, { record, onEnd }: OutputOptions, error: unknown): Promise<void> {
  record.endSilence();
  const { code, signal, stderr } = await run.exit();
  Object.assign(record.facts, { exit_code: code, ...(signal && { signal }), ...(stderr && { stderr }) });
  record.failure = error;
  onEnd(error === undefined ? 'ok' : ((error as ServiceError).kind ?? 'error'));
}

/**
 * Returns the type of output without a declared one: `text/plain` for UTF-8 text, else `application/octet-stream`.
 */
export function sniffType(start: readonly Uint8Array[]): string {
  const bytes = start.reduce((sum, chunk) => sum + chunk.byteLength, 0);
  const sample = Buffer.concat(start, Math.min(bytes, SNIFF_BYTES));
  if (sample.includes(0)) return 'application/octet-stream';
  try {
    // As a stream: the sample may end within a character.
    new TextDecoder('utf-8', { fatal: true }).decode(sample, { stream: true });
    return 'text/plain; charset=utf-8';
  } catch (error) {
    if (error instanceof TypeError) return 'application/octet-stream';
    throw error;
  }
}

/** Maximum number of bytes held while the status is open. */
const MAX_HELD_BYTES = 2 * 1024 * 1024;
/** The time after the first output in which the status remains open, in milliseconds. */
const LINGER_MS = 100;

/** A source of chunks; undefined at the end. */
export interface Output {
  read(): Promise<Uint8Array | undefined>;
}

interface HeldOutput {
  chunks: Uint8Array[];
  bytes: number;
  /** The pending read when holding ended; undefined if the output has ended. */
  pending: Promise<Uint8Array | undefined> | undefined;
}

/**
 * Reads the start of a command's output, so that an early failure can still be a 500 (decision 1). Waits for the
 * first output without a limit; then for the end, two mebibytes, or a tenth of a second, whichever is first.
 */
export async function holdOutput(output: Output): Promise<HeldOutput> {
  const first = await output.read();
  if (first === undefined) return { chunks: [], bytes: 0, pending: undefined };
  const held: HeldOutput = { chunks: [first], bytes: first.byteLength, pending: output.read() };
  const linger = Promise.withResolvers<'over'>();
  const timer = setTimeout(() => linger.resolve('over'), LINGER_MS);
  while (held.bytes < MAX_HELD_BYTES) {
    const chunk = await Promise.race([held.pending, linger.promise]);
    if (chunk === 'over') break;
    held.pending = undefined;
    if (chunk === undefined) break;
    held.chunks.push(chunk);
    held.bytes += chunk.byteLength;
    held.pending = output.read();
  }
  clearTimeout(timer);
  return held;
}
