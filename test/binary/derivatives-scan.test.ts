import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { createFolderToScan, type FolderToScan } from '../support/folder-to-scan.ts';

const COPIES = 300;

let site: FolderToScan;
beforeAll(async () => {
  site = await createFolderToScan(COPIES);
});
beforeEach(() => site.forget());
afterAll(() => site.remove());

describe('repo derivatives scan', () => {
  it('queues missing derivatives and prints the numbers in one sentence', async () => {
    const all = site.all.toLocaleString('en');
    const done = `Scanned ${COPIES + 1} media: ${all} derivatives queued, 0 queued already, 0 failed before.\n`;
    expect(await site.repo()).toEqual({ code: 0, out: done, err: '' });
    expect(await site.jobs()).toBe(site.all);
    expect(await site.count('SELECT count(*) FROM derivative_job WHERE user_id <> 1')).toBe(0);
    const again = `Scanned ${COPIES + 1} media: 0 derivatives queued, ${all} queued already, 0 failed before.\n`;
    expect(await site.repo('--quiet')).toEqual({ code: 0, out: again, err: '' });
  });

  it('counts the derivatives of one action at one node without queueing them', async () => {
    const options = ['--node', String(site.node), '--action', 'generate_a_technical_metadata_derivative', '--dry-run'];
    expect(await site.repo(...options)).toEqual({
      code: 0,
      out: 'Scanned 1 media: 1 derivative to be queued, 0 queued already, 0 failed before.\n',
      err: '',
    });
    expect(await site.jobs()).toBe(0);
  });

  it('names the command that retries failed jobs', async () => {
    await site.repo('--node', String(site.node));
    await site.database.write([
      "UPDATE derivative_job SET state = 'failed' WHERE id = (SELECT min(id) FROM derivative_job)",
    ]);
    expect((await site.repo('--node', String(site.node))).out).toBe(
      'Scanned 1 media: 0 derivatives queued, 3 queued already, 1 failed before (retry them with: repo derivatives retry --failed).\n',
    );
  });

  it('queues nothing if the administrator is blocked', async () => {
    await site.database.write(['UPDATE user SET status = 0 WHERE id = 1']);
    try {
      expect(await site.repo()).toEqual({
        code: 1,
        out: '',
        err: 'The jobs would run for admin, who is blocked. Unblock the user first: repo user unblock admin\n',
      });
      expect((await site.repo('--dry-run')).code).toBe(0);
    } finally {
      await site.database.write(['UPDATE user SET status = 1 WHERE id = 1']);
    }
  });

  it.each([
    [['--action', 'get_ocr_from_images'], 1, 'Unknown action get_ocr_from_images; did you mean get_ocr_from_image?'],
    [['--node', '99999999'], 1, 'There is no node 99999999.'],
    [['--node', 'x'], 2, 'It must be a number from 1'],
    [['--dry-runs'], 2, "unknown option '--dry-runs'; did you mean --dry-run?"],
  ])('rejects %j with exit code %i and the reason', async (args, code, message) => {
    expect(await site.repo(...args)).toEqual({ code, out: '', err: expect.stringContaining(message) });
  });
});
