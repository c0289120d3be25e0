import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_SERVER_CONFIG } from '../../../src/config/server-config.ts';
import { auditServices } from '../../support/audit.ts';
import { createMedia, settledFiles } from '../../support/binaries.ts';
import { mediaByUse, settled } from '../../support/derivative-site.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import { createTestProcessor, type TestProcessor } from '../../support/test-processor.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const MEMORY_BYTES = 64 * 1024 ** 2;
const RULES = 'actions: { generate_a_technical_metadata_derivative: { maxBytes: 5000000 } }\n';
const shell = (script: string, more: string) =>
  `{ cmd: sh, args: [-c, ${JSON.stringify(script)}], contentType: application/xml, ${more} }`;
const COMMANDS = `
allowedMimeTypes: ["*"]
cmdByMimeType:
  text/plain: ${shell('head -c 3000 /dev/zero', 'maxOutputBytes: 2000')}
  text/csv: ${shell('head -c 3000000 /dev/zero; sleep 0.3; yes', 'maxOutputBytes: 4000000')}
  text/html: ${shell("perl -e '$x = chr(1) x 200000000; print 1'", `maxMemoryBytes: ${MEMORY_BYTES}`)}
  text/markdown: ${shell('head -c 6000000 /dev/zero', 'maxOutputBytes: 7000000')}
  text/x-fits: ${shell('head -c 5000000 /dev/zero', 'maxOutputBytes: 7000000')}
`;

const TOO_LARGE =
  'The derivative is larger than the 5000000 bytes of maxBytes in the rule generate_a_technical_metadata_derivative.';

let repositories: { within: TestRepository; remote: TestRepository };
let processor: TestProcessor;
beforeAll(async () => {
  const folder = await emptyFolder();
  const [rulesFile, file] = [join(folder, 'rules.yaml'), join(folder, 'cmds.yaml')];
  await writeFile(rulesFile, RULES);
  await writeFile(file, COMMANDS);
  processor = await createTestProcessor(COMMANDS);
  const usual = { ...DEFAULT_SERVER_CONFIG.derivatives, rulesFile };
  repositories = {
    within: await createTestRepository(
      { derivatives: usual },
      { processor: { file, port: undefined, host: undefined } },
    ),
    remote: await createTestRepository({ derivatives: { ...usual, processors: [processor.url] } }),
  };
});
afterAll(async () => {
  for (const repository of Object.values(repositories)) {
    await settledFiles(repository);
    expect(await auditServices(repository.running.services, true)).toEqual([]);
    await repository.stop();
  }
  await processor.stop();
});

/** Uploads a file. Returns the job for its technical metadata and the uses of its media. */
async function make(where: 'within' | 'remote', contentType: string) {
  const repository = repositories[where];
  const sound = await repository.termId('http://purl.org/coar/resource_type/c_18cc');
  const node = await repository.node({ field_model: [{ target_id: sound }] });
  const uri = 'public://limits/a.txt';
  await createMedia(repository, { node, type: 'file', uri, contentType, body: 'text' });
  const [job] = await settled(repository, node);
  return { job, uses: [...(await mediaByUse(repository, node)).keys()] };
}

describe.each(['within', 'remote'] as const)('the job of a command of the processor %s', (where) => {
  const name = () => (where === 'within' ? 'embedded processor' : `processor at ${new URL(processor.url).origin}`);

  it.each([
    ['writes too much', 'text/plain', 500, 'The command wrote more than the 2000 bytes of its maxOutputBytes.'],
    [
      'needs too much memory',
      'text/html',
      500,
      `The command ran out of memory: its maxMemoryBytes is ${MEMORY_BYTES} bytes.`,
    ],
  ])('that %s fails immediately with that reason', async (_, type, status, reason) => {
    const { job, uses } = await make(where, type);
    expect(job).toMatchObject({ state: 'failed', status, message: `The ${name()} answered 500: ${reason}` });
    expect(uses).toEqual(['http://pcdm.org/use#OriginalFile']);
  });

  it('that exceeds the limit during its response fails immediately with that reason', async () => {
    const { job, uses } = await make(where, 'text/csv');
    expect(job).toMatchObject({ state: 'failed', status: 200 });
    expect(job?.message).toEndWith('command wrote more than the 4000000 bytes of its maxOutputBytes.');
    expect(uses).toEqual(['http://pcdm.org/use#OriginalFile']);
  });

  it('that exceeds maxBytes of the rule fails immediately, and stores nothing', async () => {
    const { job, uses } = await make(where, 'text/markdown');
    expect(job).toMatchObject({ state: 'failed', message: TOO_LARGE });
    expect(uses).toEqual(['http://pcdm.org/use#OriginalFile']);
  });

  it('that writes exactly maxBytes of the rule succeeds', async () => {
    const { job, uses } = await make(where, 'text/x-fits');
    expect(job).toMatchObject({ state: 'done' });
    expect(uses).toContain('https://projects.iq.harvard.edu/fits');
  });
});
