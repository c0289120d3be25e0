import { afterEach, beforeAll, describe, expect, it } from 'bun:test';
import { checkLeftovers } from '../../support/leftovers.ts';
import { rawServer } from '../../support/raw-http.ts';
import { createTestProcessor } from '../../support/test-processor.ts';
import { until } from '../../support/until.ts';

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n';
const seen: { path: string; authorization: string | null; encoding: string | null }[] = [];

const source = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch(request) {
    const response = answer(request);
    response.headers.set('Connection', 'close');
    return response;
  },
});

function answer(request: Request): Response {
  const { pathname } = new URL(request.url);
  const headers = request.headers;
  seen.push({ path: pathname, authorization: headers.get('authorization'), encoding: headers.get('accept-encoding') });
  const to = (location: string) => new Response(null, { status: 302, headers: { Location: location } });
  switch (pathname) {
    case '/file.txt':
    case '/ä b.txt':
    case '/%C3%A4%20b.txt':
      return new Response('a source', { headers: { 'Content-Type': 'Text/Plain; charset=utf-8' } });
    case '/untyped':
      return new Response(new Blob(['a source']), { headers: { 'Content-Type': '' } });
    case '/typed':
      return new Response('a source', {
        headers: { 'Content-Type': new URL(request.url).searchParams.get('as') ?? '' },
      });
    case '/gzip':
      return new Response(Bun.gzipSync('a source'), {
        headers: { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip' },
      });
    case '/once':
      return to('/file.txt');
    case '/loop':
      return to('/loop');
    case '/other-origin':
      return to(`http://localhost:${source.port}/file.txt`);
    case '/to-file':
      return to('file:///etc/passwd');
    case '/to-data':
      return to('data:text/plain,hello');
    case '/error':
      return new Response('a secret message', { status: 500 });
    default:
      return new Response('not here', { status: 404 });
  }
}
const at = (path: string) => `http://127.0.0.1:${source.port}${path}`;

const processor = await createTestProcessor(`
allowedMimeTypes: [text/plain, application/octet-stream]
allowedSources: ["http://127.0.0.1", "http://localhost:${source.port}/file.txt", "${at('')}"]
maxBodyBytes: 100000
cmdByMimeType:
  text/plain: { cmd: tr, args: [a-z, A-Z] }
  default: { cmd: cat }
`);
const ANYWHERE = `
allowedMimeTypes: ["*"]
maxBodyBytes: 100000
cmdByMimeType:
  default: { cmd: cat }
`;
const anywhere = await createTestProcessor(ANYWHERE);
/** Only for sources that never send: a busy machine answers slowly. */
const impatient = await createTestProcessor(`sourceTimeout: 0.3${ANYWHERE}`);
checkLeftovers(
  async () => {
    await (await anywhere.get(at('/file.txt'))).text();
    await (await impatient.get(at('/file.txt'))).text();
    return processor.get(at('/file.txt'));
  },
  async () => {
    await Promise.all([processor.stop(), anywhere.stop(), impatient.stop()]);
    await source.stop(true);
  },
);
beforeAll(() => {
  seen.length = 0;
});
afterEach(async () => {
  seen.length = 0;
  expect(await (await processor.get(at('/file.txt'))).text()).toBe('A SOURCE');
  seen.length = 0;
});

describe('GET /', () => {
  it('fetches the source once, unencoded, and returns the output of the command', async () => {
    const response = await processor.get(at('/file.txt'));
    expect(await response.text()).toBe('A SOURCE');
    expect(seen).toEqual([{ path: '/file.txt', authorization: null, encoding: 'identity' }]);
  });

  it('forwards the Authorization of the caller', async () => {
    await (await processor.get(at('/file.txt'), { Authorization: 'Bearer abc' })).text();
    expect(seen[0]?.authorization).toBe('Bearer abc');
  });

  it('follows a redirect, without Authorization to another origin', async () => {
    expect(await (await processor.get(at('/once'), { Authorization: 'Bearer abc' })).text()).toBe('A SOURCE');
    expect(await (await processor.get(at('/other-origin'), { Authorization: 'Bearer abc' })).text()).toBe('A SOURCE');
    expect(seen.map((request) => request.authorization)).toEqual(['Bearer abc', 'Bearer abc', 'Bearer abc', null]);
  });

  it('accepts addresses in UTF-8', async () => {
    const address = Buffer.from(at('/ä b.txt')).toString('latin1');
    expect(await (await processor.get(address)).text()).toBe('A SOURCE');
  });

  it('treats a source without a type as binary', async () => {
    expect(await (await processor.get(at('/untyped'))).text()).toBe('a source');
  });

  it.each(['text/pl@in', 'text/"plain"', 'text plain', 'text/*', 'text/(plain)', 'junk'])(
    'returns 400 for a source of invalid type: %s',
    async (type) => {
      const response = await processor.get(at(`/typed?as=${encodeURIComponent(type)}`));
      expect(response.status).toBe(400);
      expect(await response.text()).toBe('The Content-Type that came with the source file is not a MIME type.\n');
    },
  );

  it('accepts a repeated type, and rejects two different types', async () => {
    const type = async (as: string) => (await processor.get(at(`/typed?as=${encodeURIComponent(as)}`))).status;
    expect(await type('text/plain, text/plain')).toBe(200);
    expect(await type('text/plain, text/html')).toBe(400);
    expect(await type('text/pl,ain')).toBe(400);
  });

  it('accepts every token character in the type of a source', async () => {
    const response = await anywhere.get(at(`/typed?as=${encodeURIComponent("application/doesn't-exist")}`));
    expect(await response.text()).toBe('a source');
  });

  it('decodes a source that is encoded despite the request', async () => {
    expect(await (await processor.get(at('/gzip'))).text()).toBe('A SOURCE');
  });

  it('reads missing values from an event, and logs its id', async () => {
    const event = { object: { id: 'urn:uuid:1' }, attachment: { content: { source_uri: at('/file.txt'), args: '' } } };
    const header = Buffer.from(JSON.stringify(event)).toString('base64');
    await processor.lastRequest();
    const response = await fetch(processor.url, { headers: { 'X-Repo-Event': header } });
    expect(await response.text()).toBe('A SOURCE');
    expect(await processor.lastRequest()).toMatchObject({ msgId: 'urn:uuid:1' });
  });

  it.each([
    ['no address', undefined, 'The Apix-Ldp-Resource header is missing'],
    ['no URL', 'file.txt', 'must hold an http or https URL'],
    ['another scheme', 'file:///etc/passwd', 'must hold an http or https URL'],
    ['data', 'data:text/plain,hello', 'must hold an http or https URL'],
    ['credentials', 'http://user:secret@127.0.0.1/', 'must not hold a user name or password'],
    ['a source that is not allowed', 'http://example.org/', 'names a source that is not allowed here'],
    ['a look-alike host', 'http://127.0.0.1.example.org/', 'names a source that is not allowed here'],
    ['an address that is too long', `http://127.0.0.1/${'x'.repeat(9000)}`, 'is longer than 8192 characters'],
  ])('returns 400 for %s', async (_, address, sentence) => {
    const response = address ? await processor.get(address) : await fetch(processor.url);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(sentence);
  });

  it.each([
    ['does not exist', '/nope', 'its server answered 404'],
    ['fails', '/error', 'its server answered 500'],
    ['redirects in a loop', '/loop', 'redirects more than 5 times'],
    ['redirects to a file', '/to-file', 'redirects to an address that is not allowed'],
    ['redirects to data', '/to-data', 'redirects to an address that is not allowed'],
  ])('returns 424 for a source that %s', async (_, path, sentence) => {
    const response = await processor.get(at(path));
    expect(response.status).toBe(424);
    const text = await response.text();
    expect(text).toContain(sentence);
    expect(text).not.toContain('secret');
  });
});

describe('a faulty source', () => {
  async function answerTo(behave: Parameters<typeof rawServer>[0]) {
    const server = await rawServer(behave);
    try {
      const response = await impatient.get(server.url);
      return { status: response.status, text: await response.text() };
    } finally {
      server.stop();
    }
  }

  it('returns 424 after sourceTimeout if it never responds', async () => {
    expect(await answerTo(() => {})).toEqual({
      status: 424,
      text: 'The source file did not arrive within 0.3 seconds.\n',
    });
  });

  it('returns 424 after sourceTimeout if it never sends a byte', async () => {
    const { status } = await answerTo((socket) => void socket.write(`${HEAD}Content-Length: 5\r\n\r\n`));
    expect(status).toBe(424);
  });

  it('returns 424 if it sends less than its Content-Length', async () => {
    const answer = await answerTo((socket) => void socket.end(`${HEAD}Content-Length: 10\r\n\r\nabc`));
    expect(answer).toEqual({ status: 424, text: 'The source file was truncated.\n' });
  });

  it('returns 424 if it stops within a chunk', async () => {
    const { status } = await answerTo((socket) => void socket.end(`${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\nabc`));
    expect(status).toBe(424);
  });

  it('is read only to its Content-Length', async () => {
    const answer = await answerTo((socket) => void socket.end(`${HEAD}Content-Length: 3\r\n\r\nabcdef`));
    expect(answer).toEqual({ status: 200, text: 'abc' });
  });

  it('returns 424 if it does not speak HTTP', async () => {
    expect((await answerTo((socket) => void socket.end('hello\r\n\r\n'))).status).toBe(424);
  });

  it('returns 413 if it exceeds maxBodyBytes, declared or not', async () => {
    const declared = await answerTo((socket) => void socket.write(`${HEAD}Content-Length: 100001\r\n\r\n`));
    expect(declared.status).toBe(413);
    const endless = await answerTo((socket) => void socket.write(`${HEAD}\r\n${'x'.repeat(100_001)}`));
    expect(endless.status).toBe(413);
  });

  it('returns 424 if its server is unreachable', async () => {
    const server = await rawServer(() => {});
    server.stop();
    expect((await anywhere.get(server.url)).status).toBe(424);
    expect((await anywhere.get('http://nowhere.invalid/')).status).toBe(424);
  });

  it('is cancelled when the client disconnects', async () => {
    let isClosed = false;
    const server = await rawServer((socket) => {
      socket.write(`${HEAD}Content-Length: 50000\r\n\r\nabc`);
      socket.on('close', () => {
        isClosed = true;
      });
    });
    const abort = new AbortController();
    const request = fetch(anywhere.url, { headers: { 'Apix-Ldp-Resource': server.url }, signal: abort.signal });
    await until(() => server.heads.length > 0);
    abort.abort();
    await expect(request).rejects.toThrow();
    await until(() => isClosed);
    server.stop();
  });
});

it('a processor without forwardAuth neither forwards nor passes on credentials', async () => {
  const discreet = await createTestProcessor(`
forwardAuth: false
allowedMimeTypes: ["*"]
cmdByMimeType:
  default: { cmd: env }
`);
  const response = await discreet.get(at('/file.txt'), { Authorization: 'Bearer abc' });
  expect(await response.text()).not.toMatch(/SERVICE_AUTH|SCYLLARIDAE_AUTH/);
  expect(seen[0]?.authorization).toBeNull();
  await discreet.stop();
});
