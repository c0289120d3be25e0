import { IDLE_TIMEOUT_S } from '../http/request-log.ts';

/**
 * The suites of TLS 1.2: those with forward secrecy and authenticated encryption (RFC 9325, 4.2). TLS 1.3 has no others, and
 * is not affected.
 */
const TLS_1_2_SUITES = 'ECDHE+AESGCM:ECDHE+CHACHA20';

export interface ListenOptions {
  host: string;
  port: number;
  /** The option that chooses the port, for messages. Default: `--port`. */
  option?: string;
  /** True to share the port with other processes: the system distributes the connections. */
  isShared?: boolean;
  /** Certificate and key in PEM. Default: plain HTTP. */
  tls?: { cert: string; key: string };
  answer(request: Request, server: Bun.Server<unknown>): Promise<Response>;
}

/** A failure to listen on a port. The message is for the administrator. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

/** Opens a port. Throws ListenError if it is in use or not permitted. */
export function listen({
  host,
  port,
  answer,
  option = '--port',
  isShared = false,
  tls,
}: ListenOptions): Bun.Server<unknown> {
  try {
    return Bun.serve({
      hostname: host,
      port,
      reusePort: isShared,
      ...(tls && { tls: { ...tls, ciphers: TLS_1_2_SUITES } }),
      idleTimeout: IDLE_TIMEOUT_S,
      // Files may be of any size; the processor's maxBodyBytes is the limit.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      fetch: (request, server) => answer(request, server),
      error: () => new Response('Internal Server Error\n', { status: 500 }),
    });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EADDRINUSE') throw new ListenError(`Port ${port} is in use already: choose another with ${option}.`);
    if (code === 'EACCES')
      throw new ListenError(`Port ${port} needs more rights: choose one above 1023 with ${option}.`);
    throw new ListenError(`Cannot listen on ${host}, port ${port}: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * Opens a port for this process alone and closes it again: workers, which share their port, would not notice another
 * program that shares it too. Returns its number, which the system chooses for 0. Throws ListenError.
 */
export async function claimPort(options: Omit<ListenOptions, 'answer' | 'isShared'>): Promise<number> {
  const server = listen({ ...options, answer: async () => new Response('Starting\n', { status: 503 }) });
  const port = server.port as number;
  await server.stop(true);
  return port;
}

const EVERY_ADDRESS = new Set(['0.0.0.0', '::']);

/** Returns the local address of a server, such as `http://localhost:8000`, without the default port of the scheme. */
export function serverAddress(server: { readonly host: string; readonly port: number; readonly tls: unknown }): string {
  const { host, port, tls } = server;
  const [scheme, usualPort] = tls ? (['https', 443] as const) : (['http', 80] as const);
  const shown = host.includes(':') ? `[${host}]` : host;
  return `${scheme}://${EVERY_ADDRESS.has(host) ? 'localhost' : shown}${port === usualPort ? '' : `:${port}`}`;
}
