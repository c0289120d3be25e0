import { write } from 'node:fs';
import { codeOf } from '../../base/errors.ts';

/** What may wait for whoever reads the log: beyond that, workers wait with what they have to say. */
const MAX_WAITING_CHARS = 4 * 1024 * 1024;
/** For an output that takes no more at the moment. */
const RETRY_MS = 20;
const LINE_END = '\n';
const LINE_END_BYTE = 10;

/** One stream for the lines of many processes. */
interface LogOutput {
  /** Takes whole lines. */
  write(text: string): void;
  /** Resolves when there is room for more. */
  room(): Promise<void>;
  /** Resolves when all is written, or cannot be. */
  written(): Promise<void>;
}

/**
 * Writes to a file descriptor without keeping the process from anything else: a terminal that is held stops the
 * lines, not the parent. What is written together comes out together. What cannot be written, because nobody reads it
 * any more or the disk is full, is lost; that is said on standard error, once until something can be written again.
 * A line of which only a part came out is ended before the next, which would be no line of its own otherwise.
 */
export function createLogOutput(descriptor: number, maxWaitingChars = MAX_WAITING_CHARS): LogOutput {
  let waiting = '';
  let writing = '';
  let isTold = false;
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
        isTold = false;
      } catch (error) {
        if (!isTold) console.error(`The log cannot be written at present: ${(error as Error).message}`);
        isTold = true;
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

/** Tells with each part that came out what it ended with. */
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
