import { write } from 'node:fs';
import { codeOf } from '../../base/errors.ts';

/** Maximum number of waiting characters: beyond it, workers wait with further lines. */
const MAX_WAITING_CHARS = 4 * 1024 * 1024;
/** Delay before a full output is tried again. */
const RETRY_MS = 20;
const LINE_END = '\n';
const LINE_END_BYTE = 10;

/** Writes the lines of several processes to one stream. */
interface LogOutput {
  /** Queues whole lines. */
  write(text: string): void;
  /** Resolves when there is room for more. */
  room(): Promise<void>;
  /** Resolves when everything is written or lost. */
  written(): Promise<void>;
}

/**
 * Writes to a file descriptor without blocking the process: a stopped terminal delays the lines only. Lines of one call
 * stay together. Lines that cannot be written, as to a closed pipe or a full disk, are lost: standard error reports it,
 * once until a write succeeds. A line of which only a part was written ends before the next one begins.
 */
export function createLogOutput(descriptor: number, maxWaitingChars = MAX_WAITING_CHARS): LogOutput {
  let waiting = '';
  let writing = '';
  let isReported = false;
  let isCut = false;
  const listeners: (() => void)[] = [];

  const wake = () => {
    for (const listener of listeners.splice(0)) listener();
  };
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await new Promise<void>((resolve) => listeners.push(resolve));
  };

  async function drain(): Promise<void> {
    while (waiting !== '') {
      writing = waiting;
      waiting = '';
      try {
        await writeAll(descriptor, Buffer.from(isCut ? LINE_END + writing : writing), (lastByte) => {
          isCut = lastByte !== LINE_END_BYTE;
        });
        isReported = false;
      } catch (error) {
        if (!isReported) console.error(`The log cannot be written at present: ${(error as Error).message}`);
        isReported = true;
      }
      writing = '';
      wake();
    }
  }

  return {
    write(text) {
      const isAtWork = waiting !== '' || writing !== '';
      waiting += text;
      if (!isAtWork) void drain();
    },
    room: () => until(() => waiting.length + writing.length < maxWaitingChars),
    written: () => until(() => waiting === '' && writing === ''),
  };
}

/** Writes all bytes. Calls `onWritten` with the last byte of each written part. */
async function writeAll(
  descriptor: number,
  bytes: Buffer,
  onWritten: (lastByte: number | undefined) => void,
): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += await writeSome(descriptor, bytes, at);
      onWritten(bytes[at - 1]);
    } catch (error) {
      if (codeOf(error) !== 'EAGAIN') throw error;
      await Bun.sleep(RETRY_MS);
    }
  }
}

function writeSome(descriptor: number, bytes: Buffer, at: number): Promise<number> {
  return new Promise((resolve, reject) => {
    write(descriptor, bytes, at, bytes.length - at, null, (error, count) => (error ? reject(error) : resolve(count)));
  });
}
