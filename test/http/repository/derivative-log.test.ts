import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createMedia } from '../../support/binaries.ts';
import { type DerivativeSite, holdCalls, hurry, startDerivativeSite } from '../../support/derivative-site.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import type { EntityJson, TestRepository } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

const METADATA = 'generate_a_technical_metadata_derivative';
const RULES = 'actions: { get_ocr_from_image: { processor: embedded } }\n';

let folder: string;
let site: DerivativeSite;
let repository: TestRepository;
let sound: number;
beforeAll(async () => {
  folder = await emptyFolder();
  await writeFile(join(folder, 'rules.yaml'), RULES);
  site = await startDerivativeSite({ rulesFile: join(folder, 'rules.yaml') });
  ({ repository } = site);
  sound = await repository.termId('http://purl.org/coar/resource_type/c_18cc');
});
afterAll(async () => {
  await site.stop();
});

/** A file on a node of which technical metadata are made, and nothing else. */
async function upload(): Promise<EntityJson> {
  const node = await repository.node({ field_model: [{ target_id: sound }] });
  await createMedia(repository, { node, type: 'file', uri: 'public://a.txt', contentType: 'text/plain', body: 'text' });
  return node;
}

const lineOf = (message: string) => repository.log.find(({ msg }) => String(msg).includes(message));

describe('the log of derivatives', () => {
  it('reports at startup the actions whose processor is missing in this mode', () => {
    expect(lineOf('ask for the embedded processor')).toMatchObject({ level: 'warn', actions: ['get_ocr_from_image'] });
  });

  it('logs the error of a processor in one line without a stack', async () => {
    site.stub.answer = () => ({ status: 500, type: 'text/plain', body: 'The command failed.\n' });
    const node = await upload();
    const line = await until(() => lineOf('answered 500'), { what: 'the failure is logged' });
    expect(line).toMatchObject({ level: 'warn', status: 500, attempt: 1, stderr: 'The command failed.' });
    expect(line.msg).toBe(
      `${METADATA} of node ${node.nid[0].value}: The processor at ${new URL(site.stub.url).origin} answered 500: The command failed.`,
    );
    expect(Object.keys(line)).not.toContain('err');
  });

  it('adds the code of a network error', async () => {
    await site.stub.down();
    await hurry(repository);
    const line = await until(() => repository.log.find(({ cause }) => cause !== undefined), {
      what: 'the failure is logged',
    });
    expect(line).toMatchObject({ level: 'warn', action: METADATA, cause: expect.stringContaining('ECONNREFUSED') });
    await site.stub.up();
  });

  it('logs the waiting time of a job in whole milliseconds', async () => {
    const calls = holdCalls(site.stub);
    await until(
      async () => {
        await hurry(repository);
        return site.stub.calls.length > 1;
      },
      { what: 'the job is tried again' },
    );
    calls.letGo();
    const line = await until(() => lineOf(': made'), { what: 'it is made' });
    expect(String(line.waited_s)).toMatch(/^\d+(\.\d{1,3})?$/);
  });

  it('reports the running derivatives that a shutdown waits for', async () => {
    const calls = holdCalls(site.stub);
    await upload();
    await calls.next();
    const stopped = repository.running.stop(20);
    await until(() => lineOf('waiting at most 20 s for running derivatives'), { what: 'the wait is logged' });
    calls.letGo();
    await stopped;
    expect(lineOf('running derivatives')).toMatchObject({ level: 'info', running: 1 });
    const made = () => repository.log.filter(({ msg }) => String(msg).endsWith(': made'));
    await until(() => made().length === 2, { what: 'both are made' });
  });
});
