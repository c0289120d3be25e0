import type { Log } from '../base/log.ts';
import type { ProcessorConfig } from '../processor/config.ts';
import type { OpenPort } from './tls/open-port.ts';

export const EVERY_ADDRESS = '0.0.0.0';
export const THIS_MACHINE = '127.0.0.1';

interface Announcement {
  log: Log;
  /** The name of the configuration. */
  name: string;
  config: ProcessorConfig;
  server: OpenPort;
  /** The requested host; undefined: the one that the configuration allows. */
  host: string | undefined;
  /** The host on which it listens. */
  chosen: string;
}

/** Logs where a processor listens, and who may call it there. */
export function announceProcessor({ log, name, config, server, host, chosen }: Announcement): void {
  const address = `${server.url.protocol}//${chosen === EVERY_ADDRESS ? 'localhost' : chosen}:${server.port}`;
  if (config.jwksUri === undefined && host === undefined) {
    log.info(
      `listening on ${THIS_MACHINE} only: without jwksUri in ${name} callers are not checked. ` +
        'Set jwksUri, or open it to everyone with --host 0.0.0.0',
    );
  } else if (config.jwksUri === undefined && host !== THIS_MACHINE && host !== 'localhost') {
    log.warn(`everyone who reaches ${chosen}:${server.port} may run the commands of ${name}: no jwksUri is set`);
  }
  const { maxConcurrent, maxQueued } = config;
  log.info({ mode: 'processor', config: name, maxConcurrent, maxQueued }, `ready at ${address}`);
}
