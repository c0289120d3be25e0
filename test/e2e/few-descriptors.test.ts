import { afterEach, expect, it } from 'bun:test';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { emptyFolder } from '../support/empty-folder.ts';
import { freePort } from '../support/free-port.ts';
import { killAtExit } from '../support/kill-at-exit.ts';
import { EXECUTABLE } from '../support/server-process.ts';
import { ADMIN_PASSWORD, basic } from '../support/test-repository.ts';
import { until } from '../support/until.ts';

const LIMIT = 256;
const CONNECTIONS = 400;

let folder: string;
afterEach(() => rm(folder, { recursive: true, force: true }));

it(`serves new clients and files with ${LIMIT} open files, although ${CONNECTIONS} connections are opened and kept`, async () => {
  folder = await emptyFolder();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  // The administrator of a machine may raise every limit, and the program raises its own.
  const withoutRight = process.getuid?.() === 0 ? ['setpriv', '--bounding-set', '-sys_resource'] : [];
  const serve = `ulimit -n ${LIMIT}; exec ${EXECUTABLE} serve --mode repository --data ${folder}/data --port ${port}`;
  const child = Bun.spawn([...withoutRight, 'sh', '-c', serve], {
    env: { PATH: process.env.PATH, REPO_ADMIN_PASSWORD: ADMIN_PASSWORD },
    stdout: Bun.file(`${folder}/log`),
    stderr: 'inherit',
  });
  killAtExit(child);
  const ask = (path: string) =>
    fetch(`${url}${path}`, {
      keepalive: false,
      headers: { Authorization: basic('admin') },
      signal: AbortSignal.timeout(5_000),
    });
  await until(
    () =>
      ask('/healthcheck').then(
        ({ ok }) => ok,
        () => false,
      ),
    { seconds: 60 },
  );
  expect(readFileSync(`/proc/${child.pid}/limits`, 'utf8')).toMatch(
    new RegExp(`Max open files\\s+${LIMIT}\\s+${LIMIT}`),
  );

  const sockets: Socket[] = [];
  for (let count = 0; count < CONNECTIONS; count++)
    sockets.push(sending(port, count % 2 === 0 ? 'GET /healthcheck HTTP/1.1\r\nHost: localhost\r\n\r\n' : 'GET /'));
  await until(() => readFileSync(`${folder}/log`, 'utf8').includes('too many connections'), { seconds: 30 });
  const picture = '/sites/default/files/media-icons/generic.png';
  await until(async () => (await ask(picture).catch(() => undefined))?.status === 200, { seconds: 30 });
  for (let count = 0; count < 10; count++) {
    const response = await ask(picture);
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  }
  for (const socket of sockets) socket.destroy();
  expect((await ask(picture)).status).toBe(200);
  child.kill('SIGTERM');
  expect(await child.exited).toBe(0);
  const complaints = readFileSync(`${folder}/log`, 'utf8')
    .split('\n')
    .filter((line) => /"level":"(warn|error|fatal)"/.test(line) && !line.includes('"status":503'));
  expect(complaints).toHaveLength(1);
}, 120_000);

/** A connection that has sent something: the system does not pass on those that have sent nothing. */
function sending(port: number, text: string): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  socket.resume().write(text);
  return socket;
}
