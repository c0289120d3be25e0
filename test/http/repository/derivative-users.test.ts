import { afterAll, afterEach, beforeAll, describe, expect, it } from 'bun:test';
import { createFindUser, type User } from '../../../src/repository/users/find-user.ts';
import { setBlocked, setRoles } from '../../../src/repository/users/manage-users.ts';
import { auditServices } from '../../support/audit.ts';
import { createMedia, settledFiles } from '../../support/binaries.ts';
import {
  type DerivativeSite,
  holdCalls,
  hurry,
  type JobRow,
  jobsOf,
  mediaByUse,
  settled,
  startDerivativeSite,
} from '../../support/derivative-site.ts';
import { describedSource, replyHead, type StubProcessor } from '../../support/stub-processor.ts';
import type { EntityJson, TestRepository } from '../../support/test-repository.ts';
import { unfinishedUploads } from '../../support/unfinished-uploads.ts';
import { until } from '../../support/until.ts';

const FITS = 'https://projects.iq.harvard.edu/fits';

let site: DerivativeSite;
let repository: TestRepository;
let stub: StubProcessor;
beforeAll(async () => {
  site = await startDerivativeSite();
  ({ repository, stub } = site);
});
afterEach(() => {
  stub.answer = describedSource;
  expect(stub.problems).toEqual([]);
  expect(stub.overlaps).toEqual([]);
});
afterAll(async () => {
  await settledFiles(repository);
  expect(await auditServices(repository.running.services, true)).toEqual([]);
  await site.stop();
});

async function upload(as: string): Promise<EntityJson> {
  const sound = await repository.termId('http://purl.org/coar/resource_type/c_18cc');
  const node = await repository.node({ field_model: [{ target_id: sound }] }, as);
  await createMedia(repository, { node, type: 'file', uri: 'public://users/a.txt', body: 'text', as });
  return node;
}

const metadataOf = async (node: EntityJson) => (await mediaByUse(repository, node)).get(FITS);

describe('a user who has lost the permission', () => {
  const changes: [string, (user: User) => Promise<unknown>, RegExp][] = [
    [
      'is blocked',
      (user) => setBlocked(repository.running.services, user, true),
      /The user of this job, .*, is blocked\.$/,
    ],
    [
      'has lost the role',
      (user) => setRoles(repository.running.services, user, []),
      /may not add media to the node\.$/,
    ],
    [
      'is deleted',
      ({ row }) =>
        repository.running.services.database.write([{ sql: 'DELETE FROM user WHERE id = ?', args: [row.id] }]),
      /The user of this job has been deleted\.$/,
    ],
  ];
  let count = 0;
  async function editor(): Promise<User> {
    const name = `editor ${++count}`;
    await repository.user(name, 'administrator');
    return (await createFindUser(repository.running.services.database).byName(name)) as User;
  }

  it.each(changes)('gets no derivative of a waiting job: %s', async (_, change, message) => {
    stub.answer = () => ({ status: 429, type: 'text/plain', body: 'Later.' });
    const user = await editor();
    const node = await upload(user.row.name);
    await until(async () => (await jobsOf(repository, node))[0]?.message, { what: 'it waits' });
    stub.answer = describedSource;
    await change(user);
    await hurry(repository);
    const [job] = (await settled(repository, node)) as [JobRow];
    expect(job.state).toBe('failed');
    expect(job.message).toMatch(message);
    expect(await metadataOf(node)).toBeUndefined();
  });

  it.each(changes)('gets no derivative of a running job: %s', async (_, change, message) => {
    const calls = holdCalls(stub);
    const user = await editor();
    const node = await upload(user.row.name);
    await calls.next();
    await change(user);
    stub.answer = describedSource;
    calls.letGo();
    const [job] = (await settled(repository, node)) as [JobRow];
    expect(job.state).toBe('failed');
    expect(job.message).toMatch(message);
    expect(await metadataOf(node)).toBeUndefined();
  });

  it('gets no derivative whose last bytes are still arriving', async () => {
    const gate = Promise.withResolvers<void>();
    stub.answer = () => async (socket) => {
      socket.write(replyHead(200, { 'Content-Type': 'application/xml', 'Content-Length': 6 }));
      socket.write('abc');
      await gate.promise;
      socket.end('def');
    };
    const user = await editor();
    const node = await upload(user.row.name);
    await until(async () => (await unfinishedUploads(repository.dataFolder)).length > 0, {
      what: 'the first bytes are being stored',
    });
    await setBlocked(repository.running.services, user, true);
    gate.resolve();
    expect(await settled(repository, node)).toMatchObject([{ state: 'failed', attempts: 1 }]);
    expect(await metadataOf(node)).toBeUndefined();
  });
});

describe('a user whose roles change', () => {
  it('gets derivatives with a token that is issued after the change', async () => {
    const { services } = repository.running;
    await repository.user('climber', 'administrator');
    const find = async () => (await createFindUser(services.database).byName('climber')) as User;
    const from = stub.calls.length;
    await settled(repository, await upload('climber'));
    await setRoles(services, await find(), ['administrator', 'content_editor']);
    const [job] = (await settled(repository, await upload('climber'))) as [JobRow];
    expect(job).toMatchObject({ state: 'done', attempts: 1 });
    const [before, after] = stub.calls.slice(from).map(({ token, found }) => ({ token, status: found.status }));
    expect({ before: before?.status, after: after?.status }).toEqual({ before: 200, after: 200 });
    const ask = (token = '') =>
      repository.get('/user/login_status?_format=json', undefined, { Authorization: `Bearer ${token}` });
    expect({ before: (await ask(before?.token)).status, after: (await ask(after?.token)).status }).toEqual({
      before: 401,
      after: 200,
    });
  });
});
