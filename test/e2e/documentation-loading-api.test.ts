import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { emptyFolder } from '../support/empty-folder.ts';
import { blocksOf, indentedBlocksOf, paste, transcripts } from '../support/examples.ts';
import { putLetters } from '../support/letters.ts';
import { EXECUTABLE, type ServerProcess, startServer } from '../support/server-process.ts';
import { PATIENCE_MS, testTranscripts } from '../support/shown-transcripts.ts';
import { basic, type EntityJson } from '../support/test-repository.ts';
import { fieldDefinitions } from '../support/workbench/field-definitions.ts';
import { replay } from '../support/workbench/sequence.ts';
import { startUp } from '../support/workbench/start-up.ts';
import { newTerm, termByUri } from '../support/workbench/terms.ts';
import { Workbench } from '../support/workbench/workbench.ts';

const PAGE = resolve(import.meta.dir, '../../docs/loading-api.md');
const PATH = `${dirname(EXECUTABLE)}:${process.env.PATH}`;
const PASSWORD = 'documentation';
const ADMIN = basic('admin', PASSWORD);
/** The prefix of the addresses that the page shortens. */
const ROOTS = ['/islandora_workbench_integration/node_actions', '/islandora_workbench_integration'];

describe('docs/loading-api.md', async () => {
  const page = await readFile(PAGE, 'utf8');
  const blocks = await blocksOf(PAGE);
  const [workbench = ''] = await indentedBlocksOf(PAGE);
  let folder: string;
  let service: ServerProcess;

  const reader = () => ({ cwd: folder, port: service.port, path: PATH, env: { AUTH: `admin:${PASSWORD}` } });
  const ask = (path: string, authorization: string, init: RequestInit = {}) => {
    const headers = { Authorization: authorization, 'Content-Type': 'application/json' };
    return fetch(new URL(path, service.url), { ...init, headers });
  };

  beforeAll(async () => {
    folder = await emptyFolder();
    const model = blocks.filter(({ language }) => language === 'yaml').map(({ text }) => text);
    await writeFile(join(folder, 'model.yaml'), model.join('\n'));
    await writeFile(join(folder, 'repository.yaml'), 'model: model.yaml');
    const args = ['--mode', 'repository', '--config', 'repository.yaml'];
    service = await startServer({ args, cwd: folder, env: { PATH, REPO_ADMIN_PASSWORD: PASSWORD } });
    await putLetters(service, ADMIN, 11);
    const body = JSON.stringify({ type: 'islandora_object', field_local_identifier: ['x'] });
    expect((await ask('/node/12?_format=json', ADMIN, { method: 'PATCH', body })).status).toBe(200);
  }, PATIENCE_MS);
  afterAll(async () => {
    await service.stop();
  });

  testTranscripts(transcripts(blocks), reader);

  describe('for the account that it adds', () => {
    beforeAll(async () => {
      const command = 'printf THE-PASSWORD | repo user passwd loader --password-stdin';
      expect(await paste(command, reader())).toMatchObject({ code: 0, errors: '' });
    }, PATIENCE_MS);

    it('shows a working configuration of Workbench', async () => {
      const { host, username, password, content_type: contentType, ...others } = parse(workbench);
      expect({ host, task: others.task, allowsTerms: others.allow_adding_terms }).toEqual({
        host: 'http://localhost:8000',
        task: 'create',
        allowsTerms: true,
      });
      const url = service.url;
      const run = new Workbench({ host: url, username, password, contentType });
      const made = await replay(run, [
        startUp(),
        fieldDefinitions('node', contentType),
        termByUri('https://schema.org/DigitalDocument', 'model'),
        newTerm('person', 'Doe, Jane', 'agent'),
        {
          send: 'POST /node?_format=json',
          json: {
            type: [{ target_id: contentType }],
            title: [{ value: 'A row' }],
            field_model: [{ target_id: '#{model}' }],
          },
          accepts: [201],
          reads: { 'nid[0].value': 'integer' },
          keeps: { nid: 'nid[0].value' },
        },
      ]);
      expect(made.nid).toBe(13);
    });

    it('lists addresses that all return 200', async () => {
      const [, section = ''] = page.split('## Addresses that Workbench reads');
      const rows = [...section.matchAll(/^\| (`\/.*?) \|/gm)].map(([, cell]) => cell as string);
      const named = rows.flatMap((row) =>
        [...row.matchAll(/`([^`]+)`/g)].map(([, path]) => wholeAddress(path ?? '', row)),
      );
      expect(named.length).toBe(13);
      const uuid = ((await (await ask('/entity/file/2?_format=json', ADMIN)).json()) as EntityJson).uuid[0].value;
      const addresses = [...named, '/media/1?_format=json', '/media/1/edit?_format=json'];
      for (const address of addresses) {
        const path = address.replace('…', uuid);
        expect({ path, status: (await ask(path, basic('loader', 'THE-PASSWORD'))).status }).toEqual({
          path,
          status: 200,
        });
      }
    });
  });
});

/** An address as it is asked for, of which the page may have left out the beginning that its row says before. */
function wholeAddress(path: string, row: string): string {
  const root = ROOTS.find((each) => row.includes(each)) ?? '';
  return path.startsWith('…') ? path.replace('…', root) : path;
}
