import { afterEach, describe, expect, it } from 'bun:test';
import { once } from 'node:events';
import { connect } from 'node:net';
import { checkLeftovers } from '../../support/leftovers.ts';
import { bodyOf, speak } from '../../support/raw-http.ts';
import { createTestProcessor } from '../../support/test-processor.ts';

const processor = await createTestProcessor(`
allowedMimeTypes: [text/plain, application/x-args, application/x-options, application/x-loose]
maxBodyBytes: 1000
sourceTimeout: 0.3
allowedSources: ['http://repository.example/files/']
cmdByMimeType:
  application/x-args: { cmd: printf, args: ["[%s]", "%args"] }
  application/x-options: { cmd: printf, args: ["[%s]", "%args"], allowedOptions: { -strip: none, -size: size } }
  application/x-loose: { cmd: printf, args: ["[%s]", "%args"], allowInsecureArgs: true }
  default: { cmd: cat }
`);
checkLeftovers(() => processor.post('text/plain', 'warm up'), processor.stop);
afterEach(async () => {
  expect(await (await processor.post('text/plain', 'still there')).text()).toBe('still there');
});

const post = (head: string, body = '') =>
  `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\n${head}\r\n${body}`;

/** One plain sentence, in plain text, and nothing else. */
async function expectSentence(response: Response, status: number, text: string | RegExp) {
  expect(response.status).toBe(status);
  expect(response.headers.get('Content-Type')).toBe('text/plain; charset=utf-8');
  expect(await response.text()).toMatch(text);
}

describe('X-Repo-Args', () => {
  it.each([
    ['a command substitution', '$(id)'],
    ['a backtick', '`id`'],
    ['a separator', 'a; id'],
    ['a pipe', 'a | id'],
    ['a redirection', 'a > /tmp/x'],
    ['a variable', '$HOME'],
    ['a glob', '*'],
    ['a quoted metacharacter', `'a;b'`],
    ['an empty word', `''`],
  ])('rejects %s', async (_, args) => {
    await expectSentence(
      await processor.post('application/x-args', 'x', { 'X-Repo-Args': args }),
      400,
      /^The X-Repo-Args /,
    );
  });

  it.each([`"open`, `'open`, 'end\\'])('rejects unbalanced quotes: %s', async (args) => {
    await expectSentence(
      await processor.post('application/x-args', 'x', { 'X-Repo-Args': args }),
      400,
      /unbalanced quote/,
    );
  });

  it('rejects a header of one megabyte', async () => {
    const args = 'a'.repeat(1024 * 1024);
    await expectSentence(
      await processor.post('application/x-args', 'x', { 'X-Repo-Args': args }),
      400,
      /1048576 bytes long/,
    );
  });

  it.each([
    ['-write /tmp/x', '"-write", which is no option of this command: it takes -strip, -size.'],
    ['-size @/etc/passwd', '"@/etc/passwd" after -size: it must be a size, such as 220x220.'],
  ])('rejects arguments outside of allowedOptions: %s', async (args, sentence) => {
    await expectSentence(
      await processor.post('application/x-options', 'x', { 'X-Repo-Args': args }),
      400,
      `The X-Repo-Args header holds ${sentence}\n`,
    );
  });

  it('passes arguments in allowedOptions', async () => {
    const response = await processor.post('application/x-options', 'x', { 'X-Repo-Args': '-size 10x10 -strip' });
    expect(await response.text()).toBe('[-size][10x10][-strip]');
  });

  it('passes options and @file unchanged', async () => {
    const response = await processor.post('application/x-args', 'x', { 'X-Repo-Args': '-rf --x=1 @/etc/passwd' });
    expect(await response.text()).toBe('[-rf][--x=1][@/etc/passwd]');
  });

  it('is never interpreted by a shell, even without restrictions', async () => {
    const response = await processor.post('application/x-loose', 'x', { 'X-Repo-Args': `'$(id)' '; id' "*" grüße` });
    expect(await response.text()).toBe('[$(id)][; id][*][grüße]');
  });

  it.each(['\x01', '\x00', '\x1b[31m', '\x7f'])('rejects control characters: %j', async (character) => {
    const { text, closed } = await speak(processor.port, [
      post(`X-Repo-Args: a${character}b\r\nContent-Length: 1\r\n`, 'x'),
    ]);
    expect(text).toStartWith('HTTP/1.1 400 ');
    expect(closed || !text.includes(' 200 ')).toBe(true);
  });
});

describe('X-Repo-Event', () => {
  const event = (content: object) => Buffer.from(JSON.stringify({ attachment: { content } })).toString('base64');

  it.each(['file:///etc/passwd', 'http://elsewhere.example/', 'http://repository.example/files/..;/admin'])(
    'is rejected if it names a forbidden source: %s',
    async (source_uri) => {
      const response = await processor.post('text/plain', 'x', { 'X-Repo-Event': event({ source_uri }) });
      await expectSentence(response, 400, 'The event in X-Repo-Event names a source that is not allowed here.');
    },
  );

  it('shares its rule on forbidden sources with Apix-Ldp-Resource', async () => {
    const response = await processor.post('text/plain', 'x', { 'Apix-Ldp-Resource': 'http://elsewhere.example/' });
    await expectSentence(response, 400, 'The Apix-Ldp-Resource header names a source that is not allowed here.');
  });

  it('has properties of the expected types', async () => {
    const response = await processor.post('text/plain', 'x', {
      'X-Repo-Event': event({ destination_uri: '-o /etc/x' }),
    });
    await expectSentence(response, 400, /has an invalid member attachment.content.destination_uri/);
  });
});

describe('a MIME type', () => {
  it.each([
    'junk',
    'text/',
    '/plain',
    'text/pl ain',
    'text/plain/x',
    'text/*',
    '*/*',
    'text/"plain"',
    '<script>/x',
    'text/pl@in',
    'text/(plain)',
  ])('is rejected as the Content-Type %s', async (type) => {
    await expectSentence(await processor.post(type, 'x'), 400, 'The Content-Type header is not a MIME type.');
  });

  it('is required as the Content-Type', async () => {
    const { text } = await speak(processor.port, ['POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx']);
    expect(text).toStartWith('HTTP/1.1 400 ');
    expect(text).toContain('The Content-Type header is missing');
  });

  it('is rejected if it is not allowed', async () => {
    await expectSentence(
      await processor.post('image/png', 'x'),
      400,
      'Files of the MIME type image/png are not allowed here.',
    );
  });

  it.each(['image/<b>', 'image/p@ng'])('is rejected as the mimetype of an event: %s', async (mimetype) => {
    const header = Buffer.from(JSON.stringify({ attachment: { content: { mimetype } } })).toString('base64');
    const response = await processor.post('text/plain', 'x', { 'X-Repo-Event': header });
    await expectSentence(response, 400, /^The mimetype of the event /);
  });

  it.each([';;;', 'nothing', 'image/j p g', 'image/<b>', 'image/p@ng'])(
    'is rejected as the Accept %s',
    async (accept) => {
      await expectSentence(await processor.post('text/plain', 'x', { Accept: accept }), 400, /^The Accept header /);
    },
  );

  it.each([
    ['image/png;q=0.5, image/jpeg;q=0.9', 'image/jpeg'],
    ['image/png, image/jpeg', 'image/png'],
    ['*/*, image/gif;q=0.1', 'image/gif'],
    ['image/*, text/csv;q=0.2', 'text/csv'],
    ['image/png;q=0, image/webp', 'image/webp'],
    ['*/*', 'text/plain; charset=utf-8'],
  ])('is chosen as the best concrete type of %s', async (accept, expected) => {
    const response = await processor.post('text/plain', 'x', { Accept: accept });
    await response.text();
    expect(response.headers.get('Content-Type')).toBe(expected);
  });
});

describe('the body', () => {
  it('may be empty, so that the command reads nothing', async () => {
    const response = await processor.post('text/plain', '');
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
    const none = await speak(processor.port, [post('')]);
    expect(none.text).toStartWith('HTTP/1.1 200 OK');
    const chunked = await speak(processor.port, [post('Transfer-Encoding: chunked\r\n', '0\r\n\r\n')]);
    expect(chunked.text).toStartWith('HTTP/1.1 200 OK');
  });

  it('is rejected if it exceeds maxBodyBytes, declared or not', async () => {
    await expectSentence(await processor.post('text/plain', 'x'.repeat(1001)), 413, /larger than the 1000 bytes/);
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(400)) });
    const response = await processor.post('text/plain', endless);
    await expectSentence(response, 413, /larger than the 1000 bytes/);
  });

  it.each(['half-close', 'destroy'] as const)('causes no successful response if it is truncated (%s)', async (end) => {
    const { text } = await speak(processor.port, [post('Content-Length: 10\r\n', 'abc'), 50, end]);
    expect(text).not.toContain(' 200 ');
    expect(await processor.lastRequest(499)).toMatchObject({ status: 499, failure: { kind: 'client-gone' } });
  });

  it('returns 400 if it does not begin in time', async () => {
    const { text } = await speak(processor.port, [post('Content-Length: 10\r\n')]);
    expect(text).toStartWith('HTTP/1.1 400 ');
    expect(text).toContain('The request body did not begin within 0.3 seconds.');
  });

  it('may be sent in chunks', async () => {
    const { text, closed } = await speak(processor.port, [
      post('Connection: close\r\nTransfer-Encoding: chunked\r\n', '3\r\nabc\r\n2\r\nde\r\n'),
      20,
      '0\r\n\r\n',
    ]);
    expect(closed).toBe(true);
    expect(text).toStartWith('HTTP/1.1 200 OK');
    expect(bodyOf(text)).toBe('abcde');
  });

  it('is rejected with invalid chunks', async () => {
    const { text, closed } = await speak(processor.port, [post('Transfer-Encoding: chunked\r\n', 'zz\r\nabc\r\n')]);
    expect(text).toStartWith('HTTP/1.1 400 ');
    expect(closed).toBe(true);
  });

  it('may wait for 100 Continue', async () => {
    const { text } = await speak(processor.port, [post('Expect: 100-continue\r\nContent-Length: 3\r\n'), 50, 'abc']);
    expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/);
  });
});

describe('the connection', () => {
  it('is closed if a client pipelines requests, without mixing responses', async () => {
    // Bun's server does not pipeline what it cannot answer at once. RFC 9112 section 9.3.2: clients then ask again.
    const one = (text: string) => post(`Content-Length: ${text.length}\r\n`, text);
    const { text, closed } = await speak(processor.port, [one('first') + one('second') + one('third')]);
    expect(closed).toBe(true);
    expect(['', 'first']).toContain(text.match(/first|second|third/g)?.join() ?? '');
  });

  it('serves one request after another', async () => {
    const one = (text: string) => post(`Content-Length: ${text.length}\r\n`, text);
    const { text } = await speak(processor.port, [one('first'), 'answer', one('second')]);
    expect(text.match(/first|second/g)).toEqual(['first', 'second']);
  });

  it('is closed after the response if the client asks', async () => {
    const { text, closed } = await speak(processor.port, [post('Connection: close\r\nContent-Length: 1\r\n', 'x')]);
    expect(text).toStartWith('HTTP/1.1 200 OK');
    expect(closed).toBe(true);
  });

  it('does not delay others if its headers arrive byte by byte', async () => {
    const slow = Array.from({ length: 20 }, () => connect(processor.port, '127.0.0.1'));
    await Promise.all(slow.map((socket) => once(socket, 'connect')));
    for (const byte of 'POST / HTTP') {
      for (const socket of slow) socket.write(byte);
      expect(await (await processor.post('text/plain', 'quick')).text()).toBe('quick');
    }
    for (const socket of slow) socket.destroy();
  });

  it.each(['PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])(
    'a processor returns 405 with the allowed methods for %s',
    async (method) => {
      const response = await fetch(processor.url, { method });
      expect(response.status).toBe(405);
      expect(response.headers.get('Allow')).toBe('GET, POST');
      await response.text();
    },
  );

  it.each(['nope', 'healthcheck/', '..%2f..%2fetc/passwd', '%00'])('a processor returns 404 at /%s', async (path) => {
    await expectSentence(await fetch(processor.url + path), 404, 'Not Found');
  });

  it('a processor accepts an HTTP/1.0 request without a host', async () => {
    const { text } = await speak(processor.port, ['GET /healthcheck HTTP/1.0\r\n\r\n']);
    expect(text).toStartWith('HTTP/1.1 200 OK');
  });
});
