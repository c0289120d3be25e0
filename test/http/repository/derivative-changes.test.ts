import { afterAll, afterEach, beforeAll, describe, expect, it } from 'bun:test';
import { auditServices } from '../../support/audit.ts';
import { countRows, createMedia, settledFiles } from '../../support/binaries.ts';
import {
  changeJobs,
  contentOf,
  type DerivativeSite,
  holdCalls,
  jobsOf,
  mediaByUse,
  settled,
  startDerivativeSite,
} from '../../support/derivative-site.ts';
import { describedSource, replyHead, type StubCall, type StubProcessor } from '../../support/stub-processor.ts';
import type { EntityJson, TestRepository } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

const FITS = 'https://projects.iq.harvard.edu/fits';
const XML = 'application/xml';

let site: DerivativeSite;
let repository: TestRepository;
let stub: StubProcessor;
let sound: number;
let original: number;
beforeAll(async () => {
  site = await startDerivativeSite();
  ({ repository, stub } = site);
  sound = await repository.termId('http://purl.org/coar/resource_type/c_18cc');
  original = await repository.termId('http://pcdm.org/use#OriginalFile');
});
afterEach(() => {
  stub.answer = describedSource;
  expect(stub.problems).toEqual([]);
  expect(stub.overlaps).toEqual([]);
  stub.calls.length = 0;
  repository.log.length = 0;
});
afterAll(async () => {
  await settledFiles(repository);
  expect(await auditServices(repository.running.services, true)).toEqual([]);
  await site.stop();
});

async function upload(): Promise<{ node: EntityJson; media: EntityJson }> {
  const node = await repository.node({ field_model: [{ target_id: sound }] });
  const options = { node, type: 'file', uri: 'public://changes/a.txt', contentType: 'text/plain', body: 'first' };
  return { node, media: await createMedia(repository, options) };
}

const replace = async (node: EntityJson, text: string) => {
  const path = `/node/${node.nid[0].value}/media/file/${original}`;
  expect((await repository.put(path, text, { 'Content-Type': 'text/plain' }, 'admin')).status).toBe(204);
};
const metadataOf = async (node: EntityJson) => (await mediaByUse(repository, node)).get(FITS);
const textOf = async (node: EntityJson) =>
  contentOf(repository, (await metadataOf(node)) as EntityJson, 'field_media_file');
/** The line that says what became of a call. */
const lineOf = ({ event }: StubCall) =>
  until(() => repository.log.find(({ msgId }) => msgId === event.id), { what: 'the log tells what came of it' });

describe('a source that is replaced while its job runs', () => {
  it('has the derivative of its new bytes, and that of the old ones is never stored', async () => {
    const calls = holdCalls(stub);
    const { node } = await upload();
    const first = await calls.next();
    expect(first.found.bytes.toString()).toBe('first');
    await replace(node, 'second');
    calls.letGo();
    const second = await calls.next();
    expect((await lineOf(first)).msg).toContain(': released: ');
    expect(second.found.bytes.toString()).toBe('second');
    expect(second.event.id).not.toBe(first.event.id);
    expect(await metadataOf(node)).toBeUndefined();
    calls.letGo();
    expect(await settled(repository, node)).toMatchObject([{ state: 'done', version: 2, attempts: 1 }]);
    expect(await textOf(node)).toEndWith('second');
    expect(stub.calls).toHaveLength(2);
  });

  it('many times over, has that of the last', async () => {
    const calls = holdCalls(stub);
    const { node } = await upload();
    await calls.next();
    for (let turn = 1; turn <= 10; turn++) await replace(node, `turn ${turn}`);
    stub.answer = describedSource;
    calls.letGo();
    expect(await settled(repository, node)).toMatchObject([{ state: 'done', version: 11 }]);
    expect(await textOf(node)).toEndWith('turn 10');
    expect(stub.calls).toHaveLength(2);
  });

  it('while its last bytes arrive, is made again', async () => {
    const gate = Promise.withResolvers<void>();
    stub.answer = () => async (socket) => {
      socket.write(replyHead(200, { 'Content-Type': XML, 'Content-Length': 6 }));
      socket.write('old');
      await gate.promise;
      socket.end('old');
    };
    const { node } = await upload();
    await until(() => stub.calls.length === 1, { what: 'the processor is asked' });
    await replace(node, 'second');
    stub.answer = describedSource;
    gate.resolve();
    await settled(repository, node);
    expect(await textOf(node)).toEndWith('second');
  });

  it('and fails meanwhile, keeps its attempts', async () => {
    const calls = holdCalls(stub, () => ({ status: 400, type: 'text/plain', body: 'no' }));
    const { node } = await upload();
    const first = await calls.next();
    await replace(node, 'second');
    stub.answer = describedSource;
    calls.letGo();
    await lineOf(first);
    expect(await settled(repository, node)).toMatchObject([{ state: 'done', version: 2, attempts: 1 }]);
    expect(await textOf(node)).toEndWith('second');
  });
});

describe('what is deleted while its job runs', () => {
  it.each(['node', 'media'])('gets no derivative, and no file is left: %s', async (what) => {
    const calls = holdCalls(stub);
    const { node, media } = await upload();
    const call = await calls.next();
    const rows = { file: await countRows(repository, 'file'), media: await countRows(repository, 'media') };
    const files = await settledFiles(repository);
    const path = what === 'node' ? `/node/${node.nid[0].value}` : `/media/${media.mid[0].value}`;
    expect((await repository.delete(`${path}?_format=json`, 'admin')).status).toBe(204);
    calls.letGo();
    expect(await lineOf(call)).toMatchObject({ level: 'info' });
    expect(await jobsOf(repository, node)).toEqual([]);
    expect(await countRows(repository, 'file')).toBe(rows.file);
    expect(await countRows(repository, 'media')).toBe(rows.media - (what === 'media' ? 1 : 0));
    expect(await settledFiles(repository)).toEqual(files);
  });

  it('in the middle of the answer, leaves nothing of it', async () => {
    const gate = Promise.withResolvers<void>();
    stub.answer = () => async (socket) => {
      socket.write(replyHead(200, { 'Content-Type': XML, 'Content-Length': 200_000 }));
      socket.write('a'.repeat(100_000));
      await gate.promise;
      socket.end('b'.repeat(100_000));
    };
    const { node } = await upload();
    const call = await until(() => stub.calls[0], { what: 'the processor is asked' });
    const files = await countRows(repository, 'file');
    expect((await repository.delete(`/node/${node.nid[0].value}?_format=json`, 'admin')).status).toBe(204);
    gate.resolve();
    expect((await lineOf(call)).level).toBe('info');
    expect(await countRows(repository, 'file')).toBe(files);
  });

  it('is the derivative itself: it is made as a new one', async () => {
    const { node } = await upload();
    await settled(repository, node);
    const former = (await metadataOf(node)) as EntityJson;
    const calls = holdCalls(stub);
    await replace(node, 'second');
    await until(() => stub.calls.length === 2, { what: 'the processor is asked again' });
    expect((await repository.delete(`/media/${former.mid[0].value}?_format=json`, 'admin')).status).toBe(204);
    calls.letGo();
    await settled(repository, node);
    expect(((await metadataOf(node)) as EntityJson).mid).not.toEqual(former.mid);
    expect(await textOf(node)).toEndWith('second');
  });
});

describe('a job that is cancelled while it runs', () => {
  it('stores nothing', async () => {
    const calls = holdCalls(stub);
    const { node } = await upload();
    const call = await calls.next();
    await changeJobs(
      repository,
      "UPDATE derivative_job SET state = 'cancelled', ended_at = unixepoch(), lease = NULL WHERE node_id = ?",
      [node.nid[0].value],
    );
    calls.letGo();
    expect((await lineOf(call)).level).toBe('info');
    expect(await metadataOf(node)).toBeUndefined();
    expect(await jobsOf(repository, node)).toMatchObject([{ state: 'cancelled' }]);
  });
});
