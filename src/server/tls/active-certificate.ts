import { Gauge, type Registry } from 'prom-client';
import type { Log } from '../../base/log.ts';
import type { TlsFiles } from '../../config/server-config.ts';
import { ListenError } from '../listen.ts';
import {
  type Certificate,
  CertificateError,
  describeCertificate,
  factsOf,
  hostOf,
  readCertificate,
  warningsAbout,
  warningsAboutTime,
} from './certificate.ts';

const DAY_MS = 86_400_000;

/** The certificate of new connections. */
export interface ActiveCertificate {
  readonly current: Certificate;
  /** Registers a function that changes the certificate of a port, and resolves when new connections get it. */
  onChange(exchange: (next: Certificate) => Promise<void>): void;
  /**
   * Reads the files again. Logs unusable ones and keeps the old certificate. `tells` is true if this process logs the
   * messages that would be the same from each worker.
   */
  reload(tells: boolean): Promise<void>;
  close(): void;
}

interface CertificateOptions {
  readonly files: TlsFiles;
  readonly log: Log;
  /** True if this process logs the messages that would be the same from each worker. */
  readonly tells: boolean;
  /** The configured base URL: its host must be one of the certificate's. */
  readonly baseUrl: string | undefined;
}

/** Reads a certificate, and checks its validity daily. Throws CertificateError. */
export async function openCertificate({ files, log, tells, baseUrl }: CertificateOptions): Promise<ActiveCertificate> {
  const host = hostOf(baseUrl);
  let current = await readCertificate(files);
  const exchanges: ((next: Certificate) => Promise<void>)[] = [];
  let last = Promise.resolve();
  if (tells) logCertificate(`TLS certificate ${describeCertificate(current)}`);
  const daily = setInterval(() => {
    if (tells) for (const warning of warningsAboutTime(current, new Date())) log.warn({ file: files.cert }, warning);
  }, DAY_MS);
  daily.unref();
  return {
    get current() {
      return current;
    },
    onChange: (exchange) => void exchanges.push(exchange),
    reload(tellsNow) {
      const done = last.then(() => readAgain(tellsNow));
      // The caller receives a failure; the next reload must still run.
      last = done.catch(() => {});
      return done;
    },
    close: () => clearInterval(daily),
  };

  async function readAgain(tellsNow: boolean): Promise<void> {
    const next = await readOrRefuse();
    if (next === undefined) return;
    const isSame = next.certText === current.certText && next.keyText === current.keyText;
    if (!isSame && !(await activate(next))) return;
    current = next;
    if (!tellsNow) return;
    const what = isSame ? 'the TLS certificate is unchanged' : 'new connections get the new TLS certificate';
    logCertificate(`${what}: ${describeCertificate(next)}`);
  }

  async function activate(next: Certificate): Promise<boolean> {
    try {
      await Promise.all(exchanges.map((exchange) => exchange(next)));
      return true;
    } catch (error) {
      if (!(error instanceof ListenError)) throw error;
      log.error({ files }, `the new TLS certificate cannot be activated: ${error.message}`);
      return false;
    }
  }

  async function readOrRefuse(): Promise<Certificate | undefined> {
    try {
      return await readCertificate(files);
    } catch (error) {
      if (!(error instanceof CertificateError)) throw error;
      const stays = `the old one stays active, ${describeCertificate(current)}`;
      log.error({ files }, `the new TLS certificate is rejected: ${error.message}; ${stays}`);
      return undefined;
    }
  }

  function logCertificate(what: string): void {
    log.info({ certificate: factsOf(current) }, what);
    for (const warning of warningsAbout(current, new Date(), host)) log.warn({ file: files.cert }, warning);
  }
}

/** Adds the metric of the expiry of the active certificate. */
export function addCertificateMetrics(registry: Registry, certificate: ActiveCertificate): void {
  new Gauge({
    name: 'repo_tls_certificate_expiry_timestamp_seconds',
    help: 'Expiry time of the active TLS certificate.',
    aggregator: 'min',
    registers: [registry],
    collect() {
      this.set(certificate.current.leaf.validToDate.getTime() / 1_000);
    },
  });
}
