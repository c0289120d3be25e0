import { describe, expect, it } from 'bun:test';
import { parseYamlText } from '../../../../src/base/yaml-file.ts';
import { allCommands } from '../../../../src/processor/config/commands.ts';
import { parseProcessorConfig } from '../../../../src/processor/config/config.ts';
import { configForSeat } from '../../../../src/server/active-processor-config.ts';
import { readSeat, type Seat, shareOf } from '../../../../src/server/workers/seat.ts';

const seats = (of: number): Seat[] =>
  Array.from({ length: of }, (_, index) => ({
    number: index + 1,
    of,
    port: 8000,
    processorPort: undefined,
    redirectPort: undefined,
  }));

describe('the share of a worker', () => {
  it.each([
    [8, 2, [4, 4]],
    [7, 3, [3, 2, 2]],
    [1, 1, [1]],
    [2, 4, [1, 1, 1, 1]],
  ])('of the limit %d among %d workers is %j', (limit, of, shares) => {
    expect(seats(of).map((seat) => shareOf(limit, seat))).toEqual(shares);
  });

  it('is the whole limit without a worker seat', () => expect(shareOf(7, undefined)).toBe(7));

  it('of a processor covers slots, queue and the limits of commands', () => {
    const text = [
      'allowedMimeTypes: ["*"]',
      'maxConcurrent: 5',
      'maxQueued: 0',
      'cmdByMimeType:',
      '  a/b: { cmd: cat, maxConcurrent: 4 }',
      '  a/c: { cmdByDestination: { a/d: { cmd: cat } } }',
    ].join('\n');
    const config = parseProcessorConfig(
      parseYamlText('p.yaml', text, () => undefined),
      (name) => `/bin/${name}`,
      false,
    );
    const [first, second] = seats(2).map((seat) => configForSeat(config, seat));
    expect({ first: first?.maxConcurrent, second: second?.maxConcurrent }).toEqual({ first: 3, second: 2 });
    expect(first?.maxQueued).toBe(0);
    expect(configForSeat({ ...config, maxQueued: 3 }, seats(2)[1]).maxQueued).toBe(1);
    expect(first && allCommands(first).map(({ maxConcurrent }) => maxConcurrent)).toEqual([2, undefined]);
    expect(configForSeat(config, undefined)).toBe(config);
  });
});

describe('a process', () => {
  it('without a listening parent is not a worker, even with REPO_WORKER', () => {
    const script = `import { readSeat } from '${import.meta.dir}/../../../../src/server/workers/seat.ts'; console.log(readSeat())`;
    const env = { ...process.env, REPO_WORKER: JSON.stringify(seats(2)[1]) };
    const { stdout } = Bun.spawnSync([process.execPath, '-e', script], { env });
    expect(stdout.toString()).toBe('undefined\n');
    expect(readSeat()).toBeUndefined();
  });
});
