import { createServer, type Socket } from 'node:net';

/** A file of a test server, and how the server misbehaves for it. */
export interface ServedFile {
  readonly bytes: Uint8Array;
  readonly etag?: string | undefined;
  /** False: the server answers every GET with the whole file. */
  readonly hasRanges?: boolean;
  /** False: the server tells no length, and ends an answer with its connection. */
  readonly hasLength?: boolean;
  /** False: the server refuses HEAD. */
  readonly hasHead?: boolean;
  /** The numbers of bytes after which it ends the first answers. */
  readonly cuts?: number[];
  /** The first statuses, instead of answers. */
  readonly statuses?: number[];
  readonly redirect?: string;
  /** Called with each GET; the answer waits for it. */
  readonly onGet?: () => unknown;
  /** Called before an answer ends early, which waits for it. */
  readonly onCut?: () => unknown;
}

/** A server of files that records its requests. */
export interface FileServer {
  /** Its address, without a slash at the end. */
  readonly url: string;
  readonly files: Map<string, ServedFile>;
  /** The requests, such as `GET /a.tif bytes=10-`. */
  readonly requests: string[];
  /** Returns the number of open connections. */
  connections(): number;
  stop(): Promise<void>;
}

type Headers = Readonly<Record<string, string | number | undefined>>;

/** Starts a server without files. It writes to sockets itself, since it has to end answers early. */
export async function startFileServer(): Promise<FileServer> {
  const files = new Map<string, ServedFile>();
  const requests: string[] = [];

  async function answer(socket: Socket, head: string): Promise<void> {
    const [, method = '', url = ''] = /^(\S+) (\S+)/.exec(head) ?? [];
    const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim();
    const range = header('range');
    requests.push([method, url, range].filter((part) => part !== undefined).join(' '));
    const end = (
      status: number,
      headers: Headers = {},
      body: Uint8Array = new Uint8Array(0),
      onSent?: () => unknown,
    ) => {
      const all = { 'Content-Length': body.length, ...headers, Connection: 'close' };
      const lines = Object.entries(all).filter(([, value]) => value !== undefined);
      socket.write(
        `HTTP/1.1 ${status} Answer\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
      );
      if (body.length > 0) socket.write(body);
      void Promise.resolve(onSent?.()).then(() => socket.end());
    };
    const file = files.get(url);
    if (file === undefined) return end(404);
    const { bytes, etag, redirect, hasRanges = true, hasHead = true, hasLength = true } = file;
    if (redirect !== undefined) return end(302, { Location: redirect });
    const status = file.statuses?.shift();
    if (status !== undefined) return end(status);
    const tag: Headers = etag === undefined ? {} : { ETag: etag };
    if (method === 'HEAD') {
      const length = { 'Content-Length': hasLength ? bytes.length : undefined };
      return hasHead ? end(200, { ...tag, ...length }) : end(405);
    }
    await file.onGet?.();
    const condition = header('if-range');
    const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? [];
    const isPart = first !== undefined && hasRanges && (condition === undefined || condition === etag);
    const [from, to] = isPart ? [Number(first), last === '' ? bytes.length - 1 : Number(last)] : [0, bytes.length - 1];
    const part = bytes.subarray(from, to + 1);
    const where = isPart ? { 'Content-Range': `bytes ${from}-${to}/${bytes.length}` } : {};
    const cut = last === '' || last === undefined ? file.cuts?.shift() : undefined;
    const headers = { ...tag, ...where, 'Content-Length': hasLength ? part.length : undefined };
    end(isPart ? 206 : 200, headers, part.subarray(0, cut), cut === undefined ? undefined : file.onCut);
  }

  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    let head = '';
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // A client may leave at any time.
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      head += chunk.toString('latin1');
      if (head.includes('\r\n\r\n')) void answer(socket, head.replaceAll('\r', ''));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    files,
    requests,
    connections: () => sockets.size,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
