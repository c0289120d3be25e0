import { setTimeout } from 'node:timers/promises';
import type { Log } from '../../base/log.ts';
import { settlesWithin } from '../../base/settles-within.ts';
import { createRedirectToHttps } from '../../http/redirect-to-https.ts';
import { createRequestLog } from '../../http/request-log.ts';
import { type ListenOptions, listen } from '../listen.ts';
import type { ActiveCertificate } from './active-certificate.ts';
import type { Certificate } from './certificate.ts';
import { createSteering } from './steer-connections.ts';

/** Until all workers, who hear of a certificate at the same time, listen with it. */
const OTHERS_MS = 300;
/** Until handshakes that have begun are done, and connections that stay open are told to close. */
const DRAIN_MS = 10_000;
/** Before the end of that: time for handshakes that began just before. */
const LAST_MS = 1_000;
/** So often a port that closes looks whether anything still runs. */
const QUIET_MS = 50;

interface PortOptions extends Omit<ListenOptions, 'tls' | 'isShared'> {
  readonly log: Log;
  /** Left out: plain HTTP. */
  readonly tls?: ActiveCertificate | undefined;
  /** How many processes open the port for the same purpose; left out: this one alone. */
  readonly processes?: number | undefined;
  /** How long a certificate's last connections are waited for; left out: ten seconds. */
  readonly drainMs?: number | undefined;
}

/** An open port, whatever certificate it has at the time. */
export interface OpenPort {
  readonly url: URL;
  readonly port: number;
  /** Closes it; resolves when what runs has ended. `closeActive` breaks that off. */
  stop(closeActive?: boolean): Promise<void>;
}

/** Opens a port, with TLS if there is a certificate, which can change while it is open. Throws ListenError. */
export function openPort(options: PortOptions): OpenPort {
  const { tls, processes, drainMs, log, ...where } = options;
  if (tls === undefined) {
    const { url, port, stop } = boundServer(listen({ ...where, isShared: processes !== undefined }));
    return { url, port, stop };
  }
  return openSecurePort({ ...options, tls });
}

/**
 * A server of Bun keeps its certificate for life (`reload` ignores `tls`). So another one opens the same port beside
 * it, new connections are steered to that, and the old one ends when its own have had time to end by themselves.
 */
function openSecurePort(options: PortOptions & { tls: ActiveCertificate }): OpenPort {
  const { tls, processes, drainMs = DRAIN_MS, log, ...where } = options;
  const { answer } = where;
  const stopping = new AbortController();
  // One that shares its port would not notice another program that does so as well.
  const port = processes === undefined ? claim(where) : where.port;
  let current = open(tls.current, port);
  const servers = new Set([current]);
  const count = processes ?? 1;
  const steering = createSteering(boundServer(current).port);
  let drained: Promise<void> = Promise.resolve();
  let isBrokenOff = false;
  tls.onChange(exchange);
  return {
    get url() {
      return current.url;
    },
    port: boundServer(current).port,
    async stop(closeActive = false) {
      stopping.abort();
      isBrokenOff ||= closeActive;
      await Promise.all([...servers].map((server) => (closeActive ? server.stop(true) : end(server))));
    },
  };

  /** Connections with TLS on which nothing has been asked yet, as browsers keep in reserve, would hold `stop` up. */
  async function end(server: Bun.Server<unknown>): Promise<void> {
    const stopped = server.stop();
    do {
      if (await settlesWithin(stopped, QUIET_MS)) return;
    } while (server.pendingRequests > 0 && !isBrokenOff);
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
    await drained;
    if (stopping.signal.aborted) return;
    const old = current;
    current = open(next, boundServer(old).port);
    servers.add(current);
    await pause(OTHERS_MS);
    const isSteered = steering.toNewer(count);
    drained = retire(old);
    if (isSteered) return;
    log.info('this system cannot be told which connections are new: some get the old TLS certificate a while longer');
    await drained;
  }

  async function retire(old: Bun.Server<unknown>): Promise<void> {
    await pause(drainMs);
    // Workers end their old ones one after the other, which leaves fewer than `toNewer` takes for granted.
    steering.toFirstNewer(count);
    await pause(Math.min(LAST_MS, drainMs));
    void old.stop().then(() => servers.delete(old));
  }

  /** Shorter when the port closes. */
  async function pause(milliseconds: number): Promise<void> {
    await setTimeout(milliseconds, undefined, { signal: stopping.signal }).catch(() => {});
  }
}

/** Opens a port for this process alone and closes it again. Answers its number. */
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
  /** As configured. */
  readonly baseUrl: string | undefined;
  /** The port that answers with TLS. */
  readonly tlsPort: number;
  /** How many processes open the port; undefined: this one alone. */
  readonly processes: number | undefined;
}

/** Opens a port of plain HTTP that sends everybody on to https. Throws ListenError. */
export function openRedirectPort({ host, port, log, baseUrl, tlsPort, processes }: RedirectPortOptions): OpenPort {
  const requestLog = createRequestLog(
    createRedirectToHttps({ baseUrl, port: tlsPort }),
    log.child({ part: 'redirect' }),
    () => {},
  );
  const answer = (request: Request, at: Bun.Server<unknown>) => requestLog.answer(request, at);
  return openPort({ host, port, answer, log, processes, option: '--redirect-port' });
}
