import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createMedia, pngHead } from '../../support/binaries.ts';
import { changeJobs, type DerivativeSite, jobsOf, startDerivativeSite } from '../../support/derivative-site.ts';
import { describedSource } from '../../support/stub-processor.ts';
import type { EntityJson, TestRepository } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

const OLD_NODES = 30;
const SCAN = '/admin/reports/derivatives/scan?_format=json';

let site: DerivativeSite;
let repository: TestRepository;
/** Until then the processor sends no answer. */
const open = Promise.withResolvers<void>();
beforeAll(async () => {
  site = await startDerivativeSite({
    maxConcurrent: 1,
    async answer(call) {
      await open.promise;
      return describedSource(call);
    },
  });
  ({ repository } = site);
});
afterAll(() => site.stop());

let number = 0;
async function upload(): Promise<EntityJson> {
  const node = await repository.node();
  number += 1;
  await createMedia(repository, { node, uri: `public://turns/${number}.png`, body: pngHead(30, 40, `${number}`) });
  return node;
}

describe('what a scan has queued', () => {
  it('takes turns with new uploads, and does not hold them up', async () => {
    const old: EntityJson[] = [];
    for (let made = 0; made < OLD_NODES; made++) old.push(await upload());
    await changeJobs(repository, 'DELETE FROM derivative_job');
    expect((await repository.post(SCAN, {}, 'admin')).status).toBe(200);
    const fresh = await upload();
    open.resolve();
    await until(async () => (await jobsOf(repository, fresh)).every(({ state }) => state === 'done'), {
      what: 'the new upload has its derivatives',
    });
    const left = (await jobsOf(repository)).filter(({ state }) => state === 'queued').length;
    expect(left).toBeGreaterThan(OLD_NODES);
    await until(async () => (await jobsOf(repository)).every(({ state }) => state === 'done'), {
      what: 'the old ones have theirs',
    });
    expect((await jobsOf(repository)).length).toBe(3 * (OLD_NODES + 1));
  });
});
