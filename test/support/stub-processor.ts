import { createServer, type Socket } from 'node:net';
import type { EntityJson } from './test-repository.ts';

/** A call of a stub, and the response at the address of the source. */
export interface StubCall {
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly token: string;
  readonly source: string;
  readonly accept: string;
  readonly args: string | undefined;
  /** X-Repo-Event, decoded. */
  readonly event: EntityJson;
  /** The path of the media that the answer is for. */
  readonly destination: string;
  /** The repository's response to the request for the source with that token. */
  readonly found: { readonly status: number; readonly type: string; readonly bytes: Buffer };
}

export interface StubReply {
  readonly status?: number;
  /** Default: the requested type. */
  readonly type?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
}

/** A reply as a whole, or the bytes of one by hand: the connection is then the caller's to end. */
export type StubAnswer = StubReply | ((socket: Socket) => void | Promise<void>);

export type Answerer = (call: StubCall) => StubAnswer | Promise<StubAnswer>;

/** A processor that holds the repository to what it must be sent, and answers as a test wants. */
export interface StubProcessor {
  readonly url: string;
  /** Every call so far. */
  readonly calls: StubCall[];
  /** The problems of calls, in words. */
  readonly problems: string[];
  /** Calls that came while one for the same destination was being answered. */
  readonly overlaps: string[];
  /** The answers to the following calls. */
  answer: Answerer;
  /** Stops listening, and closes all connections. */
  down(): Promise<void>;
  /** Listens again at the same port. */
  up(): Promise<void>;
}

/** The default answer of a stub: a line with the request, then the source. */
export const describedSource: Answerer = ({ accept, args, found }) => ({
  body: Buffer.concat([Buffer.from(`${accept} ${args ?? '-'}\n`), found.bytes]),
});

/** Starts a stub on a port of its own. */
export async function startStubProcessor(answer: Answerer = describedSource): Promise<StubProcessor> {
  const sockets = new Set<Socket>();
  const busy = new Map<string, number>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    let head = '';
    socket.on('data', function collect(data) {
      head += data.toString('latin1');
      if (!head.includes('\r\n\r\n')) return;
      socket.off('data', collect);
      serve(socket, head).catch((error: unknown) => {
        stub.problems.push(String(error));
        socket.destroy();
      });
    });
  });
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject);
        resolve();
      });
    });

  async function serve(socket: Socket, head: string): Promise<void> {
    const call = await readCall(head, stub.problems);
    stub.calls.push(call);
    const others = busy.get(call.destination) ?? 0;
    if (others > 0) stub.overlaps.push(call.destination);
    busy.set(call.destination, others + 1);
    socket.once('close', () => busy.set(call.destination, (busy.get(call.destination) ?? 0) - 1));
    const reply = await stub.answer(call);
    if (typeof reply === 'function') await reply(socket);
    else socket.end(toBytes(reply, call));
  }

  await listen(0);
  const { port } = server.address() as { port: number };
  const stub: StubProcessor = {
    url: `http://127.0.0.1:${port}/`,
    calls: [],
    problems: [],
    overlaps: [],
    answer,
    async down() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    up: () => listen(port),
  };
  return stub;
}

/** The head of an answer by hand. */
export function replyHead(status: number, headers: Record<string, string | number>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} -\r\n${lines.join('')}Connection: close\r\n\r\n`;
}

function toBytes({ status = 200, type, headers, body = '' }: StubReply, { accept }: StubCall): Buffer {
  const bytes = Buffer.from(body);
  const head = { 'Content-Type': type ?? accept, 'Content-Length': bytes.byteLength, ...headers };
  return Buffer.concat([Buffer.from(replyHead(status, head), 'latin1'), bytes]);
}

async function readCall(head: string, problems: string[]): Promise<StubCall> {
  const [requestLine = '', ...lines] = head.slice(0, head.indexOf('\r\n\r\n')).split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const value = (name: string) => headers.get(name) ?? '';
  const event = JSON.parse(Buffer.from(value('x-repo-event'), 'base64').toString()) as EntityJson;
  const { content } = event.attachment;
  const token = value('authorization').replace(/^Bearer /, '');
  const source = value('apix-ldp-resource');
  const accept = value('accept');
  const args = headers.get('x-repo-args');
  const must = (isTrue: boolean, what: string) => {
    if (!isTrue) problems.push(`${content.destination_uri}: ${what}`);
  };
  must(requestLine === 'GET / HTTP/1.1', `asked by ${requestLine}`);
  must(/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token), 'no token');
  must(content.source_uri === source, `the event says ${content.source_uri}, the header ${source}`);
  must(content.mimetype === accept, `the event says ${content.mimetype}, the header ${accept}`);
  must(content.args === args, `the event says ${content.args}, the header ${args}`);
  must(/^urn:uuid:[0-9a-f-]{36}$/.test(event.id), `the event is ${event.id}`);
  const response = await fetch(source, { headers: { Authorization: `Bearer ${token}` }, keepalive: false });
  const found = {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    bytes: Buffer.from(await response.arrayBuffer()),
  };
  const { pathname } = new URL(content.destination_uri);
  return { headers, token, source, accept, args, event, destination: pathname, found };
}
