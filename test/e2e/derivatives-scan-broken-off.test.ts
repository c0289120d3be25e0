import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { numberText } from '../../src/base/in-words.ts';
import { createFolderToScan, type FolderToScan } from '../support/folder-to-scan.ts';
import { until } from '../support/until.ts';

const COPIES = 5_000;
const KILLS = 3;

let site: FolderToScan;
beforeAll(async () => {
  site = await createFolderToScan(COPIES);
});
beforeEach(() => site.forget());
afterAll(() => site.remove());

describe('an interrupted repo derivatives scan', () => {
  it('stops after a batch on Ctrl-C, prints how to resume, and resumes', async () => {
    const child = site.start();
    await until(site.isUnderWay);
    child.kill('SIGINT');
    const { code, out, err } = await site.end(child);
    expect(out).toMatch(/^Scanned [\d,]+ media: [\d,]+ derivatives queued, 0 queued already, 0 failed before\.\n$/);
    expect({ code, err }).toEqual({
      code: 1,
      err: 'The scan was interrupted. Run the same command to resume it, or add --restart to start again.\n',
    });
    const sofar = await site.jobs();
    expect({
      isReported: out.includes(`${numberText(sofar)} derivatives queued`),
      isPartial: sofar > 0 && sofar < site.all,
    }).toEqual({ isReported: true, isPartial: true });
    expect(await site.repo()).toMatchObject({
      code: 0,
      out: expect.stringContaining(`: ${numberText(site.all)} derivatives queued, 0 `),
    });
    expect(await site.jobs()).toBe(site.all);
  });

  it('resumes after kills', async () => {
    for (let kill = 0; kill < KILLS; kill++) {
      const before = await site.jobs();
      const child = site.start();
      await until(async () => (await site.jobs()) > before);
      child.kill('SIGKILL');
      expect((await site.end(child)).out).toBe('');
    }
    expect(await site.jobs()).toBeLessThan(site.all);
    expect((await site.repo()).out).toContain(
      `Scanned ${numberText(COPIES + 1)} media: ${numberText(site.all)} derivatives queued, 0 queued already`,
    );
    expect(await site.jobs()).toBe(site.all);
  });

  it('starts again with --restart', async () => {
    const child = site.start();
    await until(site.isUnderWay);
    child.kill('SIGKILL');
    await site.end(child);
    const { out } = await site.repo('--restart');
    expect(out).not.toContain(', 0 queued already');
    expect(out).toContain(`Scanned ${numberText(COPIES + 1)} media: `);
    expect(await site.jobs()).toBe(site.all);
  });
});
