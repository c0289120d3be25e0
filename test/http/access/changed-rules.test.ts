import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { USE } from '../../support/site-builder.ts';
import { createTestRepository } from '../../support/test-repository.ts';

let repository: Awaited<ReturnType<typeof createTestRepository>>;
beforeAll(async () => {
  repository = await createTestRepository({ networks: new Map([['campus', ['192.0.2.0/24']]]) });
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

describe('a changed rule', () => {
  it('holds with each member that is added, changed or left out', async () => {
    const { nid } = await repository.build.item();
    const [from, until] = ['2031-05-02', '2031-06-02'];
    const rules = [
      { level: 'closed' },
      { level: 'closed', from },
      { level: 'closed', from, until },
      { level: 'closed', until },
      { level: 'files_closed', until, open_uses: [USE.service] },
      { level: 'files_closed', until },
      { level: 'files_closed', until, roles: ['fedoraadmin'] },
      { level: 'files_closed', until, roles: ['content_editor', 'fedoraadmin'] },
      { level: 'files_closed', until, users: [1] },
      { level: 'files_closed', until, networks: ['campus'] },
      { preset: 'embargo', until },
      { preset: 'embargo', until, reason: 'Reviewed', contact: 'desk@library.example' },
      { preset: 'closed' },
      { preset: 'open' },
    ];
    for (const rule of rules) {
      await repository.build.change(`/node/${nid[0].value}`, { type: 'islandora_object', access_rule: [rule] });
      expect((await repository.build.read(`/node/${nid[0].value}`)).access_rule).toEqual([rule]);
    }
  });
});
