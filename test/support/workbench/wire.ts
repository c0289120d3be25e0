import { connect } from 'node:net';

/** A request as it goes over the wire. */
export interface WireRequest {
  readonly method: string;
  readonly url: URL;
  /** In the order in which they are sent, without `Host`. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array | undefined;
  /** False to close the connection after the head of a successful response. */
  readonly isBodyRead: boolean;
}

export interface WireAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined where it was not read. */
  readonly body: Buffer | undefined;
}

const END_OF_HEAD = '\r\n\r\n';
/** The maximum silence of a server, in milliseconds. */
const MAX_SILENCE_MS = 10_000;

/**
 * Sends one request over a connection of its own, and drops that as soon as it has what it wants. Throws where the
 * server closes before its answer is whole, or says nothing.
 */
export function sendOnce(request: WireRequest): Promise<WireAnswer> {
  const { url, isBodyRead, method } = request;
  const { promise, resolve, reject } = Promise.withResolvers<WireAnswer>();
  const what = `${method} ${url.pathname}${url.search}`;
  let received = Buffer.alloc(0);
  const socket = connect(Number(url.port || 80), url.hostname);
  socket.setTimeout(MAX_SILENCE_MS, () => fail('nothing came'));
  socket.on('error', (error) => fail(error.message));
  socket.on('close', () => fail(`the connection was closed after ${received.length} bytes`));
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    try {
      const answer = parseAnswer(received, { isBodyRead, isHead: method === 'HEAD' });
      if (answer === undefined) return;
      resolve(answer);
      socket.destroy();
    } catch (error) {
      fail((error as Error).message);
    }
  });
  socket.write(head(request));
  if (request.body !== undefined) socket.write(request.body);
  return promise;

  function fail(reason: string): void {
    reject(new Error(`${what}: ${reason}`));
    socket.destroy();
  }
}

function head({ method, url, headers }: WireRequest): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.from(`${method} ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\n${lines}\r\n`, 'latin1');
}

/** Parses the bytes so far as a response; undefined if it is incomplete. */
function parseAnswer(received: Buffer, how: { isBodyRead: boolean; isHead: boolean }): WireAnswer | undefined {
  const { isBodyRead, isHead } = how;
  const end = received.indexOf(END_OF_HEAD);
  if (end < 0) return undefined;
  const [line = '', ...fields] = received.subarray(0, end).toString('latin1').split('\r\n');
  const [, code] = /^HTTP\/1\.1 (\d{3}) /.exec(line) ?? [];
  if (code === undefined) throw new Error(`no status line: ${JSON.stringify(line)}`);
  const status = Number(code);
  const rest = received.subarray(end + END_OF_HEAD.length);
  if (status < 200) return parseAnswer(rest, how);
  const headers = new Headers(
    fields.map((field): [string, string] => {
      const at = field.indexOf(':');
      return [field.slice(0, at), field.slice(at + 1).trim()];
    }),
  );
  if (isHead || status === 204 || status === 304) return { status, headers, body: undefined };
  // Workbench logs the text of failed requests.
  if (!isBodyRead && status < 400) return { status, headers, body: undefined };
  const body = wholeBody(headers, rest);
  return body && { status, headers, body };
}

function wholeBody(headers: Headers, rest: Buffer): Buffer | undefined {
  const encoding = headers.get('content-encoding');
  if (headers.get('transfer-encoding') === 'chunked') return unzipped(joinChunks(rest), encoding);
  const length = Number(headers.get('content-length') ?? Number.NaN);
  if (Number.isNaN(length)) throw new Error('the answer has neither a length nor chunks');
  return rest.length < length ? undefined : unzipped(rest.subarray(0, length), encoding);
}

function unzipped(body: Buffer | undefined, encoding: string | null): Buffer | undefined {
  if (body === undefined || encoding === null) return body;
  if (encoding !== 'gzip') throw new Error(`no Content-Encoding "${encoding}" was asked for`);
  return Buffer.from(Bun.gunzipSync(new Uint8Array(body)));
}

function joinChunks(rest: Buffer): Buffer | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = rest.indexOf('\r\n', at);
    if (end < 0) return undefined;
    const length = Number.parseInt(rest.subarray(at, end).toString('latin1'), 16);
    if (Number.isNaN(length)) throw new Error('a chunk has no length');
    const next = end + 2 + length + 2;
    if (rest.length < next) return undefined;
    if (length === 0) return Buffer.concat(chunks);
    chunks.push(rest.subarray(end + 2, end + 2 + length));
    at = next;
  }
}
