import { describe, expect, it } from 'bun:test';
import { folderNameOf, hasEnded, parseFolderName, thisProcess } from '../../../src/base/process-identity.ts';
import { until } from '../../support/until.ts';

const self = thisProcess();

describe('process identity', () => {
  it('is the same each time', () => {
    expect(thisProcess()).toEqual(self);
    expect(self.pid).toBe(process.pid);
  });

  it.each(['host', 'host-1', 'a.b-2-3', 'under_score'])('is restored from the name of a folder: %s', (host) => {
    const identity = { host, pid: 12, start: 345 };
    expect(parseFolderName(folderNameOf(identity))).toEqual(identity);
  });

  it.each([
    '',
    'host',
    'host-1',
    '-1-2',
    'host-0-1',
    'host--1-2-',
    'host-99999999999-1',
    'host-4294967296-1',
    'host-x-1',
  ])('is not read from %p', (name) => {
    expect(parseFolderName(name)).toBeUndefined();
  });

  it('has not ended for this process or another live one', () => {
    expect(hasEnded(self, self)).toBe(false);
    expect(hasEnded({ ...self, pid: process.ppid, start: startOf(process.ppid) }, self)).toBe(false);
  });

  it('has ended when its number is free or belongs to another process', () => {
    const { pid } = Bun.spawnSync(['true']);
    expect(hasEnded({ ...self, pid }, self)).toBe(true);
    expect(hasEnded({ ...self, start: self.start - 1 }, self)).toBe(true);
    expect(hasEnded({ ...self, pid: process.ppid, start: 1 }, self)).toBe(true);
  });

  it('has ended even before its parent has reaped it', async () => {
    // What the shell becomes never asks about what it began.
    const parent = Bun.spawn(['sh', '-c', 'sleep 1 & echo $!; exec sleep 30'], { stdout: 'pipe' });
    try {
      const { value } = await parent.stdout.getReader().read();
      const pid = Number(new TextDecoder().decode(value));
      const other = { ...self, pid, start: startOf(pid) };
      await until(() => hasEnded(other, self));
      // Its number is not free.
      expect(() => process.kill(pid, 0)).not.toThrow();
    } finally {
      parent.kill();
    }
  });
});

/** The kernel's figure, in clock ticks. */
function startOf(pid: number): number {
  const { stdout } = Bun.spawnSync(['sh', '-c', `sed 's/.*) //' /proc/${pid}/stat | cut -d' ' -f20`]);
  return Number(stdout.toString());
}
