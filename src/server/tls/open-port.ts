import { setTimeout } from 'node:timers/promises';
import type { Log } from '../../base/log.ts';
import { settlesWithin } from '../../base/settles-within.ts';
import { createRedirectToHttps } from '../../http/redirect-to-https.ts';
import { createRequestLog } from '../../http/request-log.ts';
import { type Descriptors, type LimitedPort, ownDescriptors, watchDescriptors } from '../descriptors.ts';
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
  readonly log: Log;
  /** Default: those of this process. */
  readonly descriptors?: Descriptors | undefined;
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
  const { tls, log, descriptors = ownDescriptors() } = options;
  const opened = tls === undefined ? openPlainPort(options) : openSecurePort({ ...options, tls });
  const unwatch = descriptors && watchDescriptors(descriptors, opened, log);
  return {
    get url() {
      return opened.url;
    },
    port: opened.port,
    stop(closeActive) {
      unwatch?.();
      return opened.stop(closeActive);
    },
  };
}

function openPlainPort({ processes, tls: _none, ...where }: PortOptions): OpenPort & LimitedPort {
  const isShared = processes !== undefined;
  const servers = createServers();
  const { url, port } = boundServer(servers.add(listen({ ...where, isShared })));
  return {
    ...{ url, port },
    stop: servers.stop,
    closeIdle: servers.closeIdle,
    pause: servers.retire,
    resume: () => void servers.add(listen({ ...where, port, isShared })),
  };
}

/** The servers of one port: the last one, and those that end. */
function createServers() {
  const servers = new Set<Bun.Server<unknown>>();
  let last: Bun.Server<unknown> | undefined;
  let isAborted = false;

  /**
   * Stops a server when no request is pending. Connections that have sent nothing yet, which browsers keep in reserve, would delay
   * its own `stop`.
   */
  async function end(server: Bun.Server<unknown>): Promise<void> {
    const stopped = server.stop();
    do {
      if (await settlesWithin(stopped, QUIET_MS)) break;
    } while (server.pendingRequests > 0 && !isAborted);
    await server.stop(true);
    servers.delete(server);
  }

  return {
    get last() {
      return last as Bun.Server<unknown>;
    },
    add(server: Bun.Server<unknown>): Bun.Server<unknown> {
      servers.add(server);
      last = server;
      return server;
    },
    /** Stops a server with its last connections, which may only have begun. */
    leave(server: Bun.Server<unknown>): void {
      void server.stop().then(() => servers.delete(server));
    },
    /** Ends the last server. */
    retire(): void {
      if (last !== undefined) void end(last);
    },
    closeIdle(): void {
      for (const server of servers) server.closeIdleConnections();
    },
    async stop(closeActive = false): Promise<void> {
      isAborted ||= closeActive;
      await Promise.all([...servers].map((server) => (closeActive ? server.stop(true) : end(server))));
    },
  };
}

/**
 * Opens a port with TLS. A server of Bun cannot change its certificate (`reload` ignores `tls`). For a new certificate a
 * second server opens the same port, and the old one stops soon after. The system resets the few connections that it has
 * assigned to the old one, and that this has not accepted yet.
 */
function openSecurePort(options: PortOptions & { tls: ActiveCertificate }): OpenPort & LimitedPort {
  const { tls, processes, drainMs = DRAIN_MS, ...where } = options;
  const { answer } = where;
  const stopping = new AbortController();
  const servers = createServers();
  // A shared port would hide another program that uses the same port.
  const { port } = boundServer(open(tls.current, processes === undefined ? claim(where) : where.port));
  let isPaused = false;
  tls.onChange(exchange);
  return {
    get url() {
      return servers.last.url;
    },
    port,
    stop(closeActive) {
      stopping.abort();
      return servers.stop(closeActive);
    },
    closeIdle: servers.closeIdle,
    pause() {
      isPaused = true;
      servers.retire();
    },
    resume() {
      open(tls.current, port);
      isPaused = false;
    },
  };

  function open({ certText, keyText }: Certificate, at: number): Bun.Server<unknown> {
    const tls = { cert: certText, key: keyText };
    return servers.add(listen({ ...where, port: at, isShared: true, tls, answer: answerFor }));
  }

  async function answerFor(request: Request, server: Bun.Server<unknown>): Promise<Response> {
    const response = await answer(request, server);
    if (server !== servers.last) response.headers.set('Connection', 'close');
    return response;
  }

  async function exchange(next: Certificate): Promise<void> {
    // A paused port takes the new certificate when it continues.
    if (stopping.signal.aborted || isPaused) return;
    const old = servers.last;
    open(next, port);
    await setTimeout(drainMs, undefined, { signal: stopping.signal }).catch(() => {});
    servers.leave(old);
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
  return openPort({ host, port, answer, processes, log, option: '--redirect-port' });
}
