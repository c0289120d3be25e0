import { Presets, SingleBar } from 'cli-progress';
import type { ImportProgress } from '../modes/package-administration.ts';
import { byteText } from './byte-text.ts';
import { counted, numberText } from './count-text.ts';
import { createProgressLines } from './progress-lines.ts';

/** Shows how far the checking and loading of packages is, on standard error. */
export interface PackageDisplay {
  show(progress: ImportProgress): void;
  end(): void;
}

/** A bar on a terminal, a line now and then elsewhere, and nothing at all for `isQuiet`. */
export function showPackages(isQuiet: boolean, stream: NodeJS.WriteStream = process.stderr): PackageDisplay {
  if (isQuiet) return { show() {}, end() {} };
  if (stream.isTTY) return drawBars(stream);
  const show = createProgressLines<ImportProgress>(stream, ({ phase, packages, total, bytes }) => {
    if (phase === 'check') return `Checked ${counted(packages, 'package')}.`;
    return `Loaded ${numberText(packages)} of ${counted(total, 'package')}, ${byteText(bytes)} of files.`;
  });
  return { show, end() {} };
}

/** How many there are to check is known when they are checked: there is a bar for the loading only. */
const FORMATS = {
  check: 'Checked {value} packages',
  load: 'Loading [{bar}] {percentage}% | {value} of {total} packages, {size} of files | {eta_formatted} left',
} as const;

function drawBars(stream: NodeJS.WriteStream): PackageDisplay {
  let bar: SingleBar | undefined;
  let shown: ImportProgress['phase'] | undefined;
  return {
    show({ phase, packages, total, bytes }) {
      if (phase !== shown) {
        bar?.stop();
        bar = new SingleBar({ stream, format: FORMATS[phase], gracefulExit: false }, Presets.legacy);
        bar.start(total, 0, { size: byteText(0) });
        shown = phase;
      }
      bar?.update(packages, { size: byteText(bytes) });
    },
    end: () => bar?.stop(),
  };
}
