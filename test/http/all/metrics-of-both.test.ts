import { afterAll, beforeAll, expect, it } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createLog } from '../../../src/base/log.ts';
import { DEFAULT_SERVER_CONFIG } from '../../../src/config/server-config.ts';
import { type RunningRepository, startRepository } from '../../../src/server/repository.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import { freePort } from '../../support/free-port.ts';
import { basic, copyFirstStart, IS_ON_SQLD } from '../../support/test-repository.ts';

const COMMANDS = 'allowedMimeTypes: ["*"]\nmaxConcurrent: 3\ncmdByMimeType: { "text/*": { cmd: cat } }\n';

let folder: string;
let port: number;
let repository: RunningRepository;
beforeAll(async () => {
  folder = await emptyFolder();
  const file = join(folder, 'cmds.yaml');
  await writeFile(file, COMMANDS);
  port = await freePort();
  if (!IS_ON_SQLD) await copyFirstStart(join(folder, 'data'));
  repository = await startRepository({
    config: { ...DEFAULT_SERVER_CONFIG, dataFolder: join(folder, 'data') },
    host: '127.0.0.1',
    port: 0,
    administratorPassword: 'correct horse battery staple',
    log: createLog({ level: 'silent', format: 'json' }),
    processor: { file, port, host: undefined },
  });
});
afterAll(async () => {
  await repository.stop(1);
});

const typesIn = (text: string) => text.split('\n').filter((line) => line.startsWith('# TYPE '));

it('/metrics of the repository includes its internal processor, and the process once', async () => {
  const post = { method: 'POST', headers: { 'Content-Type': 'text/plain' }, body: 'x' };
  expect((await fetch(`http://127.0.0.1:${port}/`, post)).status).toBe(200);
  const response = await fetch(`${repository.url}metrics`, { headers: { Authorization: basic('admin') } });
  expect(response.status).toBe(200);
  const text = await response.text();
  expect(text).toMatch(/^repo_derivatives_jobs\{state="queued"\} 0$/m);
  expect(text).toMatch(/^repo_processor_slots 3$/m);
  expect(text).toMatch(/^repo_processor_command_runs_total\{command="cat",outcome="[a-z]+"\} 1$/m);
  expect(new Set(typesIn(text)).size).toBe(typesIn(text).length);
  expect(typesIn(text)).toContain('# TYPE process_cpu_seconds_total counter');
});

it('the port of the processor returns only metrics of the processor and the process', async () => {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  expect(text).toMatch(/^repo_processor_slots 3$/m);
  expect(typesIn(text)).toContain('# TYPE process_cpu_seconds_total counter');
  expect(text).not.toContain('repo_derivatives_');
});
