import { afterAll, beforeAll, expect, it } from 'bun:test';
import { rm } from 'node:fs/promises';
import { emptyFolder } from '../support/empty-folder.ts';
import { elementsOf } from '../support/page.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { IMPORTS } from '../support/table-upload.ts';
import { copyFirstStart } from '../support/test-repository.ts';
import { until } from '../support/until.ts';

const ROWS = 600;
const TABLE = `id,title,field_model,file\n${Array.from({ length: ROWS }, (_, at) => `${at},Item ${at},Image,${at % 200}.txt`).join('\n')}\n`;

let dataFolder: string;
let server: ServerProcess;
beforeAll(async () => {
  dataFolder = await emptyFolder();
  await copyFirstStart(dataFolder);
  server = await startServer({ from: 'source', data: dataFolder });
});
afterAll(async () => {
  await server.stop();
  await rm(dataFolder, { recursive: true, force: true });
});

const html = { Accept: 'text/html' };
const tokenOf = (page: string) => elementsOf(page, 'input[name=form_token]')[0]?.attributes.value ?? '';
const open = async (path: string) => (await server.fetch(path, { headers: html })).text();
const press = async (path: string, act: string) =>
  server.fetch(path, {
    method: 'POST',
    headers: { ...html, 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ form_token: tokenOf(await open(IMPORTS)), act }).toString(),
  });
const progressOf = async (path: string) =>
  (await (await server.fetch(`${path}?_format=json`)).json()) as { state: string; nodes: number };

it('an import on its page continues after a kill of the server, and creates nothing twice', async () => {
  const form = new FormData();
  form.append('form_token', tokenOf(await open(IMPORTS)));
  form.append('table', new File([TABLE], 'items.csv'));
  for (let at = 0; at < 200; at++) form.append('files', new File([`text ${at}`], `${at}.txt`));
  const sent = await server.fetch(IMPORTS, { method: 'POST', headers: html, body: form });
  const path = (sent.headers.get('location') ?? '').replace(server.url, '');
  await until(async () => (await progressOf(path)).state === 'checked');
  expect((await press(path, 'start')).status).toBe(303);
  await until(async () => (await progressOf(path)).nodes > 0);
  await server.kill();
  server = await startServer({ from: 'source', data: dataFolder });
  expect((await progressOf(path)).state).toBe('interrupted');
  expect((await press(path, 'start')).status).toBe(303);
  await until(async () => !['checking', 'importing'].includes((await progressOf(path)).state), { seconds: 40 });
  expect((await progressOf(path)).state).toBe('done');
  const result = (await open(`${path}/result.csv`)).trim().split('\n').slice(1);
  expect(result.length).toBe(ROWS);
  expect(result.every((line) => line.includes(',loaded,'))).toBe(true);
  expect(new Set(result.map((line) => line.split(',')[3])).size).toBe(ROWS);
}, 60_000);
