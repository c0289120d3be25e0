import { afterAll, describe, expect, it, setSystemTime, spyOn } from 'bun:test';
import { Writable } from 'node:stream';
import { SCAN_LOOK } from '../../../src/cli/derivatives-scan.ts';
import { showProgress } from '../../../src/cli/progress-display.ts';

const at = (scanned: number, queued = 0) => ({
  ...{ scanned, total: 1_000, queued, open: 0, failed: 0, isFinished: scanned === 1_000 },
});

/** Standard error as a terminal or a file, and what was written to it. */
function standardError(isTTY: boolean): { stream: NodeJS.WriteStream; text: () => string } {
  const parts: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      parts.push(String(chunk));
      done();
    },
  });
  return { stream: Object.assign(stream, { isTTY, columns: 120 }) as never, text: () => parts.join('') };
}

let now = 0;
const clock = spyOn(performance, 'now');
afterAll(() => clock.mockRestore());

describe('the display of a scan', () => {
  it('draws a bar on a terminal', () => {
    const { stream, text } = standardError(true);
    const display = showProgress(SCAN_LOOK, false, stream);
    display.show(at(250, 3));
    display.show(at(1_000, 7));
    display.end();
    expect(text()).toContain(' 25% | 250 of 1000 media | 3 missing |');
    expect(text()).toContain('[========================================] 100% | 1000 of 1000 media | 7 missing |');
    expect(text()).toEndWith('\n');
  });

  it('estimates the remaining time once media were scanned', () => {
    clock.mockImplementation(() => now);
    setSystemTime(1_000_000);
    const { stream, text } = standardError(true);
    const display = showProgress(SCAN_LOOK, false, stream);
    display.show(at(0));
    setSystemTime(1_000_000 + 36_610_000);
    display.show(at(500));
    display.end();
    setSystemTime();
    expect(text()).toContain('0% | 0 of 1000 media | 0 missing | -:--:-- left');
    expect(text()).toContain('50% | 500 of 1000 media | 0 missing | 10:10:10 left');
  });

  it('shows no remaining time at the end', () => {
    const { stream, text } = standardError(true);
    const display = showProgress(SCAN_LOOK, false, stream);
    display.show(at(1_000));
    display.end();
    expect(text()).toContain('100% | 1000 of 1000 media | 0 missing | 0:00:00 left');
    expect(text()).not.toContain('-:--:--');
  });

  it('writes nothing to a terminal if nothing was scanned', () => {
    const { stream, text } = standardError(true);
    showProgress(SCAN_LOOK, false, stream).end();
    expect(text()).toBe('');
  });

  it('writes a line every ten seconds elsewhere', () => {
    clock.mockImplementation(() => now);
    const { stream, text } = standardError(false);
    const display = showProgress(SCAN_LOOK, false, stream);
    for (const [time, scanned] of [
      [9_999, 100],
      [10_000, 200],
      [19_999, 300],
      [25_000, 400],
    ] as const) {
      now = time;
      display.show(at(scanned, 5));
    }
    display.end();
    expect(text()).toBe(
      'Scanned 200 of 1000 media, 5 derivatives missing.\nScanned 400 of 1000 media, 5 derivatives missing.\n',
    );
  });

  it.each([true, false])('writes nothing in quiet mode (terminal: %p)', (isTTY) => {
    const { stream, text } = standardError(isTTY);
    const display = showProgress(SCAN_LOOK, true, stream);
    display.show(at(250));
    display.end();
    expect(text()).toBe('');
  });
});
