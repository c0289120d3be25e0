import { afterAll, describe, expect, it, spyOn } from 'bun:test';
import { Writable } from 'node:stream';
import { showProgress } from '../../../src/cli/progress-display.ts';
import { VERIFY_LOOK } from '../../../src/cli/storage-verify.ts';

const at = (checked: number, problems = 0) => ({ checked, problems, total: 1_000, bytes: checked * 1_000 });

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
const clock = spyOn(performance, 'now').mockImplementation(() => now);
afterAll(() => clock.mockRestore());

describe('the display of a check', () => {
  it('draws a bar on a terminal', () => {
    const { stream, text } = standardError(true);
    const display = showProgress(VERIFY_LOOK, false, stream);
    display.show(at(0));
    display.show(at(1_000, 7));
    display.end();
    expect(text()).toContain(' 0% | 0 of 1000 files | 0 bytes | 0 not intact | -:--:-- left');
    expect(text()).toContain('100% | 1000 of 1000 files | 1.0 MB | 7 not intact | 0:00:00 left');
  });

  it('writes a line every ten seconds elsewhere', () => {
    const { stream, text } = standardError(false);
    const display = showProgress(VERIFY_LOOK, false, stream);
    for (const [seconds, checked] of [
      [5, 100],
      [11, 200],
      [12, 300],
      [22, 400],
    ] as const) {
      now = seconds * 1_000;
      display.show(at(checked, 1));
    }
    display.end();
    expect(text()).toBe(
      'Checked 200 of 1000 files, 200.0 kB, 1 not intact.\nChecked 400 of 1000 files, 400.0 kB, 1 not intact.\n',
    );
  });

  it('shows nothing in quiet mode', () => {
    const { stream, text } = standardError(true);
    const display = showProgress(VERIFY_LOOK, true, stream);
    display.show(at(1));
    display.end();
    expect(text()).toBe('');
  });
});
