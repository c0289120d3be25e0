import { afterAll, afterEach, beforeAll, describe, expect, it } from 'bun:test';
import { rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { folderNameOf, thisProcess } from '../../../src/base/process-identity.ts';
import { auditServices } from '../../support/audit.ts';
import { createMedia, settledFiles } from '../../support/binaries.ts';
import {
  changeJobs,
  type DerivativeSite,
  type JobRow,
  jobsOf,
  mediaByUse,
  settled,
  startDerivativeSite,
} from '../../support/derivative-site.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import { describedSource, type StubProcessor } from '../../support/stub-processor.ts';
import type { EntityJson, TestRepository } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

const FITS = 'https://projects.iq.harvard.edu/fits';
/** So that no test waits for minutes. */
const PACE = { leaseSeconds: 30, upkeepSeconds: 0.05 };
const SHORT_LEASE_S = 0.3;
const HOUR_S = 3_600;
/** No process has a number like this. */
const ENDED = `${hostname()}-2147483646-1/7`;
const ELSEWHERE = 'another.example-4711-12345/7';

let site: DerivativeSite;
let repository: TestRepository;
let stub: StubProcessor;
let sound: number;
beforeAll(async () => {
  site = await startDerivativeSite({ pace: PACE, maxConcurrent: 2 });
  ({ repository, stub } = site);
  sound = await repository.termId('http://purl.org/coar/resource_type/c_18cc');
});
afterEach(() => {
  expect(stub.problems).toEqual([]);
  expect(stub.overlaps).toEqual([]);
  expect(repository.failures()).toEqual([]);
  stub.answer = describedSource;
  stub.calls.length = 0;
  repository.log.length = 0;
});
afterAll(async () => {
  await settledFiles(repository);
  expect(await auditServices(repository.running.services, true)).toEqual([]);
  await site.stop();
});

async function upload(): Promise<EntityJson> {
  const node = await repository.node({ field_model: [{ target_id: sound }] });
  const options = { node, type: 'file', uri: 'public://leases/a.txt', contentType: 'text/plain', body: 'text' };
  await createMedia(repository, options);
  return node;
}

const jobOf = async (node: EntityJson) => (await jobsOf(repository, node))[0] as JobRow;
const metadataOf = async (node: EntityJson) => (await mediaByUse(repository, node)).get(FITS);

/** Creates an abandoned job without a process, with changed columns. */
async function asLeft(changes: string, args: (string | number | null)[] = []): Promise<EntityJson> {
  stub.answer = () => ({ status: 429, type: 'text/plain', body: 'Later.' });
  const node = await upload();
  await until(async () => (await jobOf(node)).message !== null && (await jobOf(node)).lease === null, {
    what: 'the job waits',
  });
  stub.answer = describedSource;
  await changeJobs(repository, `UPDATE derivative_job SET message = NULL, ${changes} WHERE node_id = ?`, [
    ...args,
    node.nid[0].value,
  ]);
  return node;
}

/** Lets a lease be over. */
const runsOut = (node: EntityJson) =>
  changeJobs(repository, 'UPDATE derivative_job SET available_at = 0 WHERE node_id = ?', [node.nid[0].value]);

/** Lets the dispatcher look at its queue several times. */
async function looksAgain(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) {
    const node = await upload();
    await settled(repository, node);
  }
}

/** Waits until those who tend to the queue have done so a few times: each time they take up something of the dead. */
async function isTendedTo(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) {
    const node = await asLeft('lease = ?, available_at = unixepoch() + 1000', [ENDED]);
    await settled(repository, node);
  }
}

function hold(): { letGo(): void; isAsked(): Promise<unknown> } {
  const gate = Promise.withResolvers<void>();
  const calls = stub.calls.length;
  let isFirst = true;
  stub.answer = async (call) => {
    if (isFirst) {
      isFirst = false;
      await gate.promise;
    }
    return describedSource(call);
  };
  return {
    letGo: gate.resolve,
    isAsked: () => until(() => stub.calls.length > calls, { what: 'the processor is asked' }),
  };
}

describe('a job with the lease of another process', () => {
  it('is taken over at once from a process of this machine that has ended', async () => {
    const node = await asLeft('lease = ?, available_at = unixepoch() + 30', [ENDED]);
    expect(await settled(repository, node)).toMatchObject([{ state: 'done', attempts: 1 }]);
    expect(repository.log.map(({ msg }) => msg)).toContain('released derivatives of a process that has ended');
  });

  it('is taken over from a process elsewhere once its lease has run out', async () => {
    const node = await asLeft('lease = ?, available_at = unixepoch() + 30', [ELSEWHERE]);
    await isTendedTo();
    expect((await jobOf(node)).lease).toBe(ELSEWHERE);
    await runsOut(node);
    expect(await settled(repository, node)).toMatchObject([{ state: 'done', attempts: 1 }]);
  });

  it('is left to a process that lives', async () => {
    const owner = `${folderNameOf(thisProcess())}/999999`;
    const node = await asLeft('lease = ?, available_at = unixepoch() + 30', [owner]);
    await isTendedTo();
    expect((await jobOf(node)).lease).toBe(owner);
    await runsOut(node);
    expect(await settled(repository, node)).toMatchObject([{ state: 'done', attempts: 1 }]);
  });
});

describe('a job that takes longer than a lease', () => {
  it('keeps its lease', async () => {
    const other = await startDerivativeSite({ pace: { ...PACE, leaseSeconds: SHORT_LEASE_S } });
    const gate = Promise.withResolvers<void>();
    other.stub.answer = async (call) => {
      await gate.promise;
      return describedSource(call);
    };
    const node = await other.repository.node({ field_model: [{ target_id: sound }] });
    await createMedia(other.repository, { node, type: 'file', uri: 'public://slow/a.txt', body: 'text' });
    await until(() => other.stub.calls.length > 0);
    const leaseEnd = async () => (await jobsOf(other.repository, node))[0]?.available_at ?? 0;
    const first = await leaseEnd();
    await until(async () => (await leaseEnd()) > first + 4 * SHORT_LEASE_S, { what: 'four leases have passed' });
    gate.resolve();
    expect(await settled(other.repository, node)).toMatchObject([{ state: 'done', attempts: 1 }]);
    expect(other.stub.calls).toHaveLength(1);
    await other.stop();
  });
});

describe('a clock that jumps forward', () => {
  it('makes no process start its running job again', async () => {
    const held = hold();
    const node = await upload();
    await held.isAsked();
    await runsOut(node);
    await looksAgain();
    held.letGo();
    expect(await settled(repository, node)).toMatchObject([{ state: 'done', attempts: 1 }]);
    expect(await metadataOf(node)).toBeDefined();
  });

  it('leaves a job that another has taken since to that one', async () => {
    const held = hold();
    const node = await upload();
    await held.isAsked();
    await changeJobs(repository, 'UPDATE derivative_job SET lease = ? WHERE node_id = ?', [
      ELSEWHERE,
      node.nid[0].value,
    ]);
    held.letGo();
    const id = stub.calls[0]?.event.id;
    const line = await until(() => repository.log.find(({ msgId }) => msgId === id), { what: 'it is let go of' });
    expect(line.msg).toContain(': released: ');
    expect(await metadataOf(node)).toBeUndefined();
    expect((await jobOf(node)).lease).toBe(ELSEWHERE);
    await runsOut(node);
    expect(await settled(repository, node)).toMatchObject([{ state: 'done', attempts: 1 }]);
    expect(await metadataOf(node)).toBeDefined();
  });
});

describe('a clock that was set back', () => {
  it.each([
    ['a job that is queued', `available_at = unixepoch() + ${3 * HOUR_S}`],
    [
      'one that was queued an hour later',
      `available_at = unixepoch() + ${HOUR_S}, created_at = unixepoch() + ${HOUR_S}`,
    ],
    [
      'one that was tried an hour later',
      `available_at = unixepoch() + ${HOUR_S}, started_at = unixepoch() + ${HOUR_S}`,
    ],
    ['one with a lease of another process', `lease = '${ELSEWHERE}', available_at = unixepoch() + ${HOUR_S}`],
  ])('does not keep %s waiting', async (_, changes) => {
    const node = await asLeft(changes);
    expect(await settled(repository, node)).toMatchObject([{ state: 'done' }]);
  });

  it('leaves a running job to its process', async () => {
    const held = hold();
    const node = await upload();
    await held.isAsked();
    const changes = `available_at = available_at + ${HOUR_S}, started_at = started_at + ${HOUR_S}`;
    await changeJobs(repository, `UPDATE derivative_job SET ${changes} WHERE node_id = ?`, [node.nid[0].value]);
    await isTendedTo();
    held.letGo();
    expect(await settled(repository, node)).toMatchObject([{ state: 'done', attempts: 1 }]);
    expect(stub.calls.filter(({ destination }) => destination.includes(`/${node.nid[0].value}/`))).toHaveLength(1);
  });

  it('does not bring forward what waits for its next try', async () => {
    const node = await asLeft('available_at = unixepoch() + 300');
    await isTendedTo();
    expect((await jobOf(node)).available_at).toBeGreaterThan(Date.now() / 1000 + 200);
    await changeJobs(repository, "DELETE FROM derivative_job WHERE state = 'queued'");
  });

  it('does not bring forward what is to settle for as long as the rules say', async () => {
    const folder = await emptyFolder();
    const rulesFile = join(folder, 'rules.yaml');
    const members = 'of_members: { parent_has_term: ["urn:a"], settle: 86400 }';
    await writeFile(rulesFile, `actions: { paged_content_created_aggregated_pdf: { ${members} } }`);
    const other = await startDerivativeSite({ pace: PACE, rulesFile });
    const insert = `INSERT INTO derivative_job (event_id, action, pool, node_id, user_id, source_type, event, chain, version,
      state, attempts, lease, available_at, created_at)
      VALUES ('e', ?, 'default', 1, 1, 'a/b', '{}', '[]', 1, 'queued', 0, ?, unixepoch() + 86400, unixepoch())`;
    await changeJobs(other.repository, insert, ['paged_content_created_aggregated_pdf', null]);
    for (const action of ['a', 'b']) {
      await changeJobs(other.repository, insert, [action, ENDED]);
      await until(async () => (await jobsOf(other.repository)).at(-1)?.state !== 'queued', {
        what: 'that of the dead is taken up',
      });
    }
    const [settling] = await jobsOf(other.repository);
    expect(settling?.available_at).toBeGreaterThan(Date.now() / 1000 + 80_000);
    await other.stop();
    await rm(folder, { recursive: true });
  });
});

describe('a repository that stops', () => {
  it('lets go of what it is at, and does it after its next start', async () => {
    const held = hold();
    const node = await upload();
    await held.isAsked();
    await repository.restart();
    held.letGo();
    expect(await settled(repository, node)).toMatchObject([{ state: 'done', attempts: 1 }]);
    expect(repository.log.some(({ msg }) => String(msg).includes('released: the program is stopping'))).toBe(true);
    expect(await metadataOf(node)).toBeDefined();
    stub.overlaps.length = 0;
  });
});

describe('a repository that starts', () => {
  it('takes up what waits for a program that its processors can do without', async () => {
    const node = await asLeft(`state = 'waiting', waits_for = '["a-program-that-there-is-not"]', available_at = 0`);
    await repository.restart();
    expect(await until(async () => (await jobOf(node)).state === 'done', { what: 'it is done' })).toBe(true);
    expect(await metadataOf(node)).toBeDefined();
  });
});
