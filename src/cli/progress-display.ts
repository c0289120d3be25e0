import { Presets, SingleBar } from 'cli-progress';
import { createProgressLines } from './progress-lines.ts';

/** Shows how far something is, on standard error. */
export interface ProgressDisplay<Progress> {
  show(progress: Progress): void;
  /** Writes a line of its own, beside what is shown. */
  tell(line: string): void;
  end(): void;
}

/** How progress looks. */
export interface ProgressLook<Progress> {
  /** Of the bar, in the words of cli-progress, with the facts that `measure` names. */
  readonly format: string;
  readonly measure: (progress: Progress) => { total: number; value: number; facts: object };
  /** The same in a sentence, where no bar can be drawn. */
  readonly lineOf: (progress: Progress) => string;
}

/** A bar on a terminal, a line now and then elsewhere; for `isQuiet` only what is told. */
export function showProgress<Progress>(
  look: ProgressLook<Progress>,
  isQuiet: boolean,
  stream: NodeJS.WriteStream,
): ProgressDisplay<Progress> {
  const tell = (line: string) => void stream.write(`${line}\n`);
  if (isQuiet) return { show() {}, tell, end() {} };
  if (stream.isTTY) return drawBar(look, stream, tell);
  return { show: createProgressLines(stream, look.lineOf), tell, end() {} };
}

function drawBar<Progress>(
  { format, measure }: ProgressLook<Progress>,
  stream: NodeJS.WriteStream,
  tell: (line: string) => void,
): ProgressDisplay<Progress> {
  const bar = new SingleBar(
    { stream, format, etaBuffer: 100, gracefulExit: false, clearOnComplete: false },
    Presets.legacy,
  );
  let isStarted = false;
  return {
    show(progress) {
      const { total, value, facts } = measure(progress);
      if (!isStarted) bar.start(total, 0, facts);
      isStarted = true;
      bar.update(value, facts);
    },
    tell(line) {
      if (isStarted) stream.write('\r\x1b[K');
      tell(line);
    },
    end: () => bar.stop(),
  };
}
