import { describe, expect, it } from 'bun:test';
import { judgeDisk } from '../../../../src/server/status/storage-group.ts';
import { ToolVersions } from '../../../../src/server/status/tool-versions.ts';
import { judgeBackup, judgeIndex } from '../../../../src/server/status/upkeep-group.ts';

const NOW = 1_800_000_000;
const DAY_S = 86_400;
const GB = 1e9;

const backup = (days: number, damaged = 0) => ({
  backup: '2026-11-22T010203Z',
  finished: NOW - days * DAY_S,
  files: 1,
  bytes: 1,
  damaged,
});
const index = { version: 'a', building: null, position: 0, lastId: 0, done: 0, total: 0, isUnderWay: false };

describe('the status', () => {
  it.each([
    [undefined, 'look'],
    [backup(1), 'fine'],
    [backup(8), 'look'],
    [backup(31), 'fix'],
    [backup(1, 2), 'fix'],
  ] as const)('judges the last backup %j: %s', (last, state) => {
    expect(judgeBackup(last, NOW).state).toBe(state);
  });

  it.each([
    [500, 1_000, 'fine'],
    // A tenth of a huge disk is much.
    [300, 10_000, 'fine'],
    [15, 1_000, 'look'],
    [0.5, 1_000, 'fix'],
    // A small disk that is half empty.
    [5, 10, 'fine'],
  ] as const)('judges %d of %d GB free: %s', (free, total, state) => {
    expect(judgeDisk('Disk', free * GB, total * GB).state).toBe(state);
  });

  it('judges the search index', () => {
    expect(judgeIndex(index, 'a').state).toBe('fine');
    expect(judgeIndex(index, 'b').state).toBe('look');
    expect(judgeIndex({ ...index, building: 'b', done: 3, total: 9 }, 'b').value).toContain('3 items of 9 items');
  });
});

describe('the versions of programs', () => {
  it('are read in the background for known programs only', async () => {
    const versions = new ToolVersions();
    const bash = Bun.which('bash') ?? '';
    const programs = [
      { name: 'bash', path: bash, packages: undefined },
      { name: 'true', path: '/bin/true', packages: undefined },
      { name: 'tar', path: '/nowhere/tar', packages: undefined },
      { name: 'missing', path: undefined, packages: undefined },
    ];
    const reading = versions.read(programs);
    expect(versions.get(bash)).toBeUndefined();
    await reading;
    expect(versions.get(bash)).toMatch(/^\d+\.\d+/);
    expect(versions.get('/bin/true')).toBe('unknown');
    expect(versions.get('/nowhere/tar')).toBe('unknown');
  });
});
