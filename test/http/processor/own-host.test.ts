import { afterAll, describe, expect, it } from 'bun:test';
import { serveKeys } from '../../support/key-server.ts';
import { speak } from '../../support/raw-http.ts';
import { createTestProcessor, type TestProcessor } from '../../support/test-processor.ts';

const COMMANDS = 'allowedMimeTypes: ["*"]\ncmdByMimeType: { default: { cmd: cat } }\n';
const processor = await createTestProcessor(COMMANDS);
const { port } = processor;
afterAll(() => processor.stop());

async function ask(head: string[], { port }: Pick<TestProcessor, 'port'> = processor, path = '/'): Promise<string> {
  const lines = [`POST ${path} HTTP/1.1`, 'Content-Type: x/y', 'Content-Length: 1', 'Connection: close', ...head];
  const { text } = await speak(port, [`${lines.join('\r\n')}\r\n\r\nx`]);
  return text.slice('HTTP/1.1 '.length);
}

describe('a processor without jwksUri on this machine', () => {
  it.each([`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, `LocalHost:${port}`, 'localhost', '127.0.0.1'])(
    'answers to its own address: %s',
    async (host) => {
      expect(await ask([`Host: ${host}`])).toStartWith('200 ');
    },
  );

  it.each([
    'evil.example',
    `evil.example:${port}`,
    'localhost.evil.example',
    `localhost:${port + 1}`,
    '127.0.0.1.evil.example',
    '0.0.0.0',
    '192.168.1.5',
    'user@localhost',
    '',
  ])('returns 421 for any other host, and runs nothing: %s', async (host) => {
    const answer = await ask([`Host: ${host}`]);
    expect(answer).toStartWith('421 ');
    expect(answer).toContain('\r\nContent-Type: text/plain');
    expect(await processor.lastRequest(421)).toMatchObject({ status: 421, failure: { kind: 'misdirected' } });
  });

  it('returns 421 at every address', async () => {
    for (const path of ['/healthcheck', '/metrics', '/nowhere'])
      expect(await ask(['Host: evil.example'], processor, path)).toStartWith('421 ');
  });

  it.each([
    [undefined, '200 '],
    [`http://localhost:${port}`, '200 '],
    [`http://127.0.0.1:${port}`, '200 '],
    ['http://evil.example', '403 '],
    [`http://localhost:${port + 1}`, '403 '],
    ['null', '403 '],
    ['', '403 '],
    ['file://', '403 '],
  ])('responds to a page of the origin %p with %s', async (origin, status) => {
    const head = [`Host: localhost:${port}`, ...(origin === undefined ? [] : [`Origin: ${origin}`])];
    expect(await ask(head)).toStartWith(status);
  });
});

it('a processor that verifies tokens accepts any host name', async () => {
  const keys = serveKeys([]);
  const open = await createTestProcessor(`${COMMANDS}jwksUri: ${keys.url}\n`, '127.0.0.1');
  expect(await ask(['Host: evil.example', 'Origin: http://evil.example'], open)).toStartWith('400 ');
  await open.stop();
  await keys.stop();
});

it('a processor that other machines can reach accepts any host name', async () => {
  const open = await createTestProcessor(COMMANDS, '0.0.0.0');
  expect(await ask(['Host: repo.example:80', 'Origin: http://repo.example'], open)).toStartWith('200 ');
  await open.stop();
});
