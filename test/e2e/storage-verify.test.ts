import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { numberText } from '../../src/base/in-words.ts';
import { createStoredFolder, type StoredFolder } from '../support/stored-folder.ts';
import { until } from '../support/until.ts';

/** As many rows as show whether memory grows with them. */
const COPIES = 30_000;
const KILLS = 3;
const MAX_RESIDENT_BYTES = 250 * 1024 * 1024;

let site: StoredFolder;
beforeAll(async () => {
  site = await createStoredFolder(COPIES);
});
beforeEach(() => site.forget());
afterAll(() => site.remove());

const verify = (...args: string[]) => site.start('verify', '--quiet', ...args);
const repo = (...args: string[]) => site.end(verify(...args));
const IS_CHECK = "kind = 'fixity'";
const position = () =>
  site.count(`SELECT coalesce(max(progress ->> 'position'), 0) FROM run WHERE ${IS_CHECK} AND ended_at IS NULL`);
const all = (damaged = 0) =>
  `Checked ${numberText(site.files)} files, ${site.size}: ${numberText(site.files - damaged)} intact, ${damaged} damaged, 0 missing, 0 unreadable.\n`;

/** The most memory that a process has had resident. What the system counts for it begins with what its parent has. */
async function peakBytesOf(child: Bun.Subprocess): Promise<number> {
  let peak = 0;
  const look = async () => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
    const [, kilobytes] = status.match(/VmHWM:\s+(\d+) kB/) ?? [];
    if (child.exitCode !== null || kilobytes === undefined) return true;
    peak = Number(kilobytes) * 1024;
  };
  await until(look, { seconds: 60 });
  return peak;
}

describe('repo storage verify', () => {
  it('checks many files in limited memory', async () => {
    const child = verify();
    const peak = peakBytesOf(child);
    const { code, out, err } = await site.end(child);
    expect({ code, out, err }).toEqual({ code: 0, out: all(), err: '' });
    expect(await peak).toBeGreaterThan(0);
    expect(await peak).toBeLessThan(MAX_RESIDENT_BYTES);
    expect(await site.count("SELECT count(*) FROM fixity_check WHERE outcome = 'intact'")).toBe(site.files);
  });

  it('stops on Ctrl-C, prints how to resume, and resumes', async () => {
    const child = verify();
    await until(async () => (await position()) > 0);
    child.kill('SIGINT');
    const { code, out, err } = await site.end(child);
    expect(out).toMatch(/^Checked [\d,]+ files, .*: [\d,]+ intact, 0 damaged, 0 missing, 0 unreadable\.\n$/);
    expect({ code, err }).toEqual({
      code: 1,
      err: 'The check was interrupted. Run the same command to resume it, or add --restart to start again.\n',
    });
    const sofar = await site.count(`SELECT progress ->> 'checked' FROM run WHERE ${IS_CHECK}`);
    expect(sofar).toBeWithin(1, site.files);
    expect(await repo()).toEqual({ code: 0, out: all(), err: '' });
    expect(await site.count(`SELECT count(*) FROM run WHERE ${IS_CHECK}`)).toBe(1);
  });

  it('resumes after kills, and counts each file once', async () => {
    for (let kill = 0; kill < KILLS; kill++) {
      const before = await position();
      const child = verify();
      await until(async () => (await position()) > before);
      child.kill('SIGKILL');
      expect((await site.end(child)).out).toBe('');
    }
    expect(await position()).toBeGreaterThan(0);
    expect(await repo()).toEqual({ code: 0, out: all(), err: '' });
    expect(await site.count(`SELECT count(*) FROM run WHERE ${IS_CHECK}`)).toBe(1);
    expect(await site.count('SELECT count(*) FROM fixity_check')).toBe(site.files);
  });

  it('rejects a second run, and shows the state of the first with --show', async () => {
    const child = verify('--rate', '1kB/s');
    await until(async () => (await site.count(`SELECT count(*) FROM run WHERE ${IS_CHECK}`)) === 1);
    expect(await repo()).toEqual({
      code: 1,
      out: '',
      err: 'Such a check is under way already: see how far it is with --show.\n',
    });
    expect((await repo('--show')).out).toContain(`Running, started `);
    child.kill('SIGTERM');
    expect((await site.end(child)).code).toBe(1);
    expect((await repo('--show')).out).toContain('Interrupted, started ');
  });

  it('exits with 1 and names a damaged file', async () => {
    await site.damage();
    try {
      const { code, out } = await repo();
      expect(code).toBe(1);
      const [line, summary] = out.split('\n');
      expect(line).toMatch(
        /^file \d+, public:\/\/f1\.txt: damaged; 300 bytes with SHA-256 \w{64} expected, 300 bytes with/,
      );
      expect(`${summary}\n`).toBe(all(1));
      const known = JSON.parse((await repo('--show', '--format', 'json')).out);
      expect(known).toMatchObject({
        files: site.files,
        damaged: 1,
        neverChecked: 0,
        lastCheck: { checked: site.files, damaged: 1 },
        problems: [{ uri: 'public://f1.txt', outcome: 'damaged' }],
      });
    } finally {
      await site.damage();
    }
  });

  it('respects its rate limit', async () => {
    const before = performance.now();
    const { out } = await repo('--sample', '1000', '--rate', '100kB/s');
    // Of three seconds' worth of bytes the first second's may come at once.
    expect(performance.now() - before).toBeGreaterThan(1_900);
    expect(out).toEndWith('This was a sample (1,000 files, chosen at random). The other files were not checked.\n');
  });
});
