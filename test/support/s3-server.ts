import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { S3Config } from '../../src/storage/s3/config.ts';
import { pause } from './pause.ts';
import { type Fault, type SeenRequest, spoil } from './s3-fault.ts';
import { answerByFront, errorAnswer } from './s3-server-front.ts';
import { type StartedStore, startStore } from './s3-server-store.ts';
import { refusalOf } from './s3-signature.ts';

export interface S3Server {
  readonly endpoint: string;
  /** The configuration of this program for it, with path style and without a prefix. */
  readonly config: S3Config;
  /** The received requests with whole bodies, in order. */
  readonly requests: SeenRequest[];
  /** Asked about each request; what it answers happens. */
  fault: ((request: SeenRequest) => Fault | undefined) | undefined;
  /** Secret by access key; S3RVER with S3RVER to begin with. */
  readonly keys: Map<string, string>;
  sessionToken: string | undefined;
  /** The maximum number of entries in a page of a list. */
  pageSize: number;
  /** True if it lists unfinished uploads, as S3 does and some servers do not. */
  knowsUploads: boolean;
  /** Stops listening and cuts every connection. */
  goDown(): Promise<void>;
  /** Listens again, on the same port. */
  comeUp(): Promise<void>;
  /** Stops for ever and removes everything. */
  close(): Promise<void>;
}

export interface S3ServerOptions {
  /** A free one, if left out. */
  port?: number;
  /** The folder of its objects (default: a temporary one). */
  folder?: string;
  bucket?: string;
}

const REGION = 'us-east-1';
const BUCKET = 'repository';
const KEY = 'S3RVER';

/**
 * A real S3 server (s3rver) behind a front of ours that checks signatures, does what s3rver leaves out (pages of lists,
 * unfinished uploads), records what comes in, and plays faults. Bodies are passed on when they are whole, as S3 takes
 * nothing of a broken upload. `<bucket>.localhost` is the bucket in the host.
 */
export async function startS3Server(options: S3ServerOptions = {}): Promise<S3Server> {
  const { port = 0, bucket = BUCKET } = options;
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'repo-s3-'));
  const store = await startStore(folder, bucket);
  const sockets = new Set<Socket>();
  const listener = createServer((request, response) => {
    handle(server, store, request, response).catch((error: unknown) => {
      // The client has gone, or the server went down meanwhile.
      request.socket.destroy(error instanceof Error ? error : undefined);
    });
  });
  listener.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
  });
  const taken = await listen(listener, port);
  const endpoint = `http://127.0.0.1:${taken}`;
  const goDown = async () => {
    const closed = new Promise((resolve) => listener.close(resolve));
    for (const socket of sockets) socket.destroy();
    listener.closeAllConnections();
    await closed;
  };
  const server: S3Server = {
    endpoint,
    config: {
      endpoint,
      region: REGION,
      bucket,
      prefix: '',
      pathStyle: true,
      credentials: {
        from: 'configuration',
        keys: { accessKeyId: KEY, secretAccessKey: KEY, sessionToken: undefined },
      },
      encryption: undefined,
      storageClass: undefined,
    },
    requests: [],
    fault: undefined,
    keys: new Map([[KEY, KEY]]),
    sessionToken: undefined,
    pageSize: 1000,
    knowsUploads: true,
    goDown,
    comeUp: async () => void (await listen(listener, taken)),
    async close() {
      if (listener.listening) await goDown();
      await store.close();
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
  return server;
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.removeListener('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

async function handle(
  server: S3Server,
  { answer, store }: StartedStore,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const { method = '', url: target = '' } = request;
  const headers = request.headers as Record<string, string>;
  const [path = '', search = ''] = target.split('?', 2);
  const [host = ''] = (headers.host ?? '').split(':');
  const inHost = host.endsWith('.localhost') ? `/${host.slice(0, -'.localhost'.length)}` : '';
  const [, bucket = '', ...key] = `${inHost}${path}`.split('/').map(decodeURIComponent);
  const query = new URLSearchParams(search.replaceAll('+', '%2B'));
  const seen: SeenRequest = { method, key: key.join('/'), query, headers, bytes: body.byteLength, status: undefined };
  server.requests.push(seen);

  const fault = server.fault?.(seen);
  if (fault?.kind === 'hang') return;
  if (fault?.kind === 'cut') return void request.socket.destroy();
  if (fault?.kind === 'delay') await pause(fault.ms);
  response.on('finish', () => {
    seen.status = response.statusCode;
  });
  spoil(fault, request, response);
  const verifier = { region: REGION, keys: server.keys, sessionToken: server.sessionToken, now: Date.now() };
  const refusal = fault?.kind === 'answer' ? fault : refusalOf({ method, target, headers, body }, verifier);
  const own =
    refusal !== undefined
      ? errorAnswer(refusal.status, refusal.code)
      : await answerByFront(store, { bucket, seen, pageSize: server.pageSize, knowsUploads: server.knowsUploads });
  if (own === undefined) return answer(request, response, { path: `${inHost}${path}`, query, body });
  const text = await own.text();
  response.writeHead(own.status, { ...Object.fromEntries(own.headers), 'content-length': String(text.length) });
  response.end(method === 'HEAD' ? undefined : text);
}
