import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type MadeCertificate, makeCertificate, writeCertificate } from './certificates.ts';
import { emptyFolder } from './empty-folder.ts';
import { freePort } from './free-port.ts';
import { type ServerProcess, startServer } from './server-process.ts';
import type { EntityJson } from './test-repository.ts';
import { seenCertificate } from './tls-clients.ts';
import { until } from './until.ts';

/** The issuer that all certificates of these sites have. */
export const ISSUER = await makeCertificate('Some CA');
/** Long enough for handshakes and lasting connections of an old certificate to end. */
const EXCHANGE_S = 20;

/** A repository that answers with TLS, in a folder of its own. */
export interface TlsSite {
  readonly folder: string;
  readonly port: number;
  readonly redirectPort: number;
  readonly service: ServerProcess;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  json(path: string): Promise<EntityJson>;
  /** Puts another certificate in the place of the one that is there, and asks the program to read it. */
  change(to: MadeCertificate): Promise<void>;
  /** The subject of the certificate that a new connection gets. */
  seen(port?: number): Promise<string>;
  /** Resolves when the log has a line with this text. */
  logged(text: string): Promise<unknown>;
  remove(): Promise<void>;
}

/** Starts `repo serve` with a certificate on a new folder and waits until it is ready. */
export async function startTlsSite(first: MadeCertificate, args: string[] = []): Promise<TlsSite> {
  const folder = await emptyFolder();
  await mkdir(join(folder, 'tls'));
  const files = await writeCertificate(join(folder, 'tls'), first);
  const redirectPort = await freePort();
  const tls = ['--tls-cert', files.cert, '--tls-key', files.key, '--redirect-port', `${redirectPort}`];
  const service = await startServer({ data: join(folder, 'data'), args: [...tls, ...args], ca: ISSUER.cert });
  return {
    folder,
    port: service.port,
    redirectPort,
    service,
    fetch: service.fetch,
    json: async (path) => (await service.fetch(path)).json(),
    async change(to) {
      await writeCertificate(join(folder, 'tls'), to);
      service.kill('SIGHUP');
    },
    seen: (port = service.port) => seenCertificate(port, ISSUER.cert),
    logged: (text) =>
      until(() => service.log.some(({ msg }) => msg.includes(text)), {
        seconds: EXCHANGE_S,
        tell: () => service.log.map(({ msg }) => msg).slice(-20),
      }),
    async remove() {
      await service.stop();
      await rm(folder, { recursive: true });
    },
  };
}
