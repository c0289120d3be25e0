import { setTimeout } from 'node:timers/promises';
import type { Log } from '../../base/log.ts';
import { settlesWithin } from '../../base/settles-within.ts';
import { createRedirectToHttps } from '../../http/redirect-to-https.ts';
import { createRequestLog } from '../../http/request-log.ts';
import { type ListenOptions, listen } from '../listen.ts';
import type { ActiveCertificate } from './active-certificate.ts';
import type { Certificate } from './certificate.ts';

/** Time in which clients with open connections receive `Connection: close`, and reconnect. */
const DRAIN_MS = 2_000;
/** Interval at which a closing port checks for running requests. */
const QUIET_MS = 50;

interface PortOptions extends Omit<ListenOptions, 'tls' | 'isShared'> {
  /** Default: plain HTTP. */
  readonly tls?: ActiveCertificate | undefined;
  /** The number of processes that share the port. Default: this one alone. */
  readonly processes?: number | undefined;
  /** Time for which both certificates are in use during a change. Default: two seconds. */
  readonly drainMs?: number | undefined;
}

/** An open port, whose certificate may change. */
export interface OpenPort {
  readonly url: URL;
  readonly port: number;
  /** Closes the port, and resolves when running requests have ended. `closeActive` aborts them. */
  stop(closeActive?: boolean): Promise<void>;
}

/** Opens a port, with TLS if there is a certificate. Throws ListenError. */
export function openPort(options: PortOptions): OpenPort {
  const { tls, processes, drainMs, ...where } = options;
  if (tls === undefined) {
    const { url, port, stop } = boundServer(listen({ ...where, isShared: processes !== undefined }));
    return { url, port, stop };
  }
  return openSecurePort({ ...options, tls });
}

/**
 * Opens a port with TLS. A server of Bun cannot change its certificate (`reload` ignores `tls`). For a new certificate a
 * second server opens the same port, and the old one stops soon after. The system resets the few connections that it has
 * assigned to the old one, and that this has not accepted yet.
 */
function openSecurePort(options: PortOptions & { tls: ActiveCertificate }): OpenPort {
  const { tls, processes, drainMs = DRAIN_MS, ...where } = options;
  const { answer } = where;
  const stopping = new AbortController();
  // A shared port would hide another program that uses the same port.
  const port = processes === undefined ? claim(where) : where.port;
  let current = open(tls.current, port);
  const servers = new Set([current]);
  let isAborted = false;
  tls.onChange(exchange);
  return {
    get url() {
      return current.url;
    },
    port: boundServer(current).port,
    async stop(closeActive = false) {
      stopping.abort();
      isAborted ||= closeActive;
      await Promise.all([...servers].map((server) => (closeActive ? server.stop(true) : end(server))));
    },
  };

  /** Stops a server when no request is pending: idle TLS connections, which browsers keep in reserve, would delay `stop`. */
  async function end(server: Bun.Server<unknown>): Promise<void> {
    const stopped = server.stop();
    do {
      if (await settlesWithin(stopped, QUIET_MS)) return;
    } while (server.pendingRequests > 0 && !isAborted);
    await server.stop(true);
  }

  function open({ certText, keyText }: Certificate, at: number): Bun.Server<unknown> {
    return listen({ ...where, port: at, isShared: true, tls: { cert: certText, key: keyText }, answer: answerFor });
  }

  async function answerFor(request: Request, server: Bun.Server<unknown>): Promise<Response> {
    const response = await answer(request, server);
    if (server !== current) response.headers.set('Connection', 'close');
    return response;
  }

  async function exchange(next: Certificate): Promise<void> {
    if (stopping.signal.aborted) return;
    const old = current;
    current = open(next, boundServer(old).port);
    servers.add(current);
    await setTimeout(drainMs, undefined, { signal: stopping.signal }).catch(() => {});
    void old.stop().then(() => servers.delete(old));
  }
}

/** Opens a port for this process alone and closes it again. Returns its number. */
function claim(where: Omit<ListenOptions, 'isShared'>): number {
  const server = listen({ ...where, answer: async () => new Response('Starting\n', { status: 503 }) });
  void server.stop(true);
  return boundServer(server).port;
}

function boundServer(server: Bun.Server<unknown>): OpenPort {
  return { url: server.url, port: server.port as number, stop: (closeActive) => server.stop(closeActive) };
}

interface RedirectPortOptions {
  readonly host: string;
  readonly port: number;
  readonly log: Log;
  /** The configured base URL. */
  readonly baseUrl: string | undefined;
  /** The port with TLS. */
  readonly tlsPort: number;
  /** Returns true if the certificate is valid for a host. */
  readonly isCertified: (host: string) => boolean;
  /** The number of processes that share the port; undefined: this one alone. */
  readonly processes: number | undefined;
}

/** Opens a port of plain HTTP that redirects to https. Throws ListenError. */
export function openRedirectPort(options: RedirectPortOptions): OpenPort {
  const { host, port, log, baseUrl, tlsPort, isCertified, processes } = options;
  const requestLog = createRequestLog(
    createRedirectToHttps({ baseUrl, port: tlsPort, isCertified }),
    log.child({ part: 'redirect' }),
    () => {},
  );
  const answer = (request: Request, at: Bun.Server<unknown>) => requestLog.answer(request, at);
  return openPort({ host, port, answer, processes, option: '--redirect-port' });
}
