import { ServiceError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { RequestRecord } from '../http/request-log.ts';
import type { ProcessorConfig } from '../processor/config/config.ts';
import type { ActiveCertificate } from './tls/active-certificate.ts';
import { type OpenPort, openPort } from './tls/open-port.ts';

const EVERY_ADDRESS = '0.0.0.0';
const THIS_MACHINE = '127.0.0.1';

/** The address of a processor. */
export interface ProcessorPort {
  /** Undefined: every address with token verification, this machine alone without. */
  host: string | undefined;
  port: number;
  /** The option that chooses the port, for messages. */
  option?: string;
  /** Default: plain HTTP. */
  tls?: ActiveCertificate | undefined;
  /** The number of workers that share the port; default: this process alone. */
  processes?: number | undefined;
}

interface PortContext {
  readonly log: Log;
  /** The name of the configuration. */
  readonly name: string;
  /** Returns the active configuration. */
  config(): ProcessorConfig;
  /** False for all workers but the first. */
  readonly isAnnounced: boolean;
  answer(request: Request, server: Bun.Server<unknown>, record: RequestRecord): Promise<Response>;
}

/** Opens the port of a processor and logs where it listens. Throws ListenError. */
export function openProcessorPort({ host, ...where }: ProcessorPort, context: PortContext): OpenPort {
  const { config, isAnnounced } = context;
  const chosen = host ?? (config().jwksUri ? EVERY_ADDRESS : THIS_MACHINE);
  const isLocal = isLoopback(chosen);
  const answer = (request: Request, server: Bun.Server<unknown>) => {
    const record = new RequestRecord(request, server);
    if (isLocal && !config().jwksUri) record.failure = refuseForeign(request, { host: chosen, port: server.port ?? 0 });
    return context.answer(request, server, record);
  };
  const opened = openPort({ ...where, host: chosen, answer, log: context.log });
  if (isAnnounced) announce(opened, host, chosen, context);
  return opened;
}

/** Logs where a processor listens and who may call it. `host` is the requested host, `chosen` the one in use. */
function announce({ url, port }: OpenPort, host: string | undefined, chosen: string, context: PortContext): void {
  const { log, name } = context;
  const { jwksUri, maxConcurrent, maxQueued } = context.config();
  if (jwksUri === undefined && host === undefined) {
    log.info(
      `listening on ${THIS_MACHINE} only: without jwksUri in ${name} callers are not checked. ` +
        'Set jwksUri, or open it to everyone with --host 0.0.0.0',
    );
  } else if (jwksUri === undefined && host !== THIS_MACHINE && host !== 'localhost') {
    log.warn(`everyone who reaches ${chosen}:${port} may run the commands of ${name}: no jwksUri is set`);
  }
  const address = `${url.protocol}//${chosen === EVERY_ADDRESS ? 'localhost' : chosen}:${port}`;
  log.info({ mode: 'processor', config: name, maxConcurrent, maxQueued }, `ready at ${address}`);
}

const NAMES_OF_THIS_MACHINE = ['localhost', '127.0.0.1', '[::1]'];
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/;
/** A host with an optional port, without the user name and path that a URL may have. */
const HOST_AND_PORT = /^[\w.:[\]-]+$/;

/** Returns true if only this machine can reach a port that listens on this host. */
function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

/**
 * Returns the error for a request to a loopback port under a foreign host name, or from a page of another site: pages
 * in the user's browser can reach such ports, also by DNS rebinding. Undefined for a request of a local program.
 */
function refuseForeign({ headers }: Request, own: { host: string; port: number }): ServiceError | undefined {
  const isOwn = (text: string) => isOwnHost(text, own);
  const host = headers.get('host');
  // Only programs other than browsers send no Host (HTTP/1.0).
  if (host !== null && !isOwn(host)) {
    const message = `This service answers as ${own.host}:${own.port} only; set jwksUri to let it have other names.`;
    return new ServiceError('misdirected', message);
  }
  const origin = headers.get('origin');
  if (origin === null) return undefined;
  const [, site] = /^https?:\/\/(.*)$/.exec(origin) ?? [];
  if (site !== undefined && isOwn(site)) return undefined;
  return new ServiceError('forbidden', 'Pages of other sites may not use this service.');
}

function isOwnHost(text: string, { host, port }: { host: string; port: number }): boolean {
  const url = HOST_AND_PORT.test(text) ? URL.parse(`http://${text}`) : null;
  if (url === null || ![...NAMES_OF_THIS_MACHINE, host].includes(url.hostname)) return false;
  return url.port === '' || Number(url.port) === port;
}
