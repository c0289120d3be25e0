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

/** The certificate that new connections get. */
export interface ActiveCertificate {
  readonly current: Certificate;
  /** `exchange` resolves when new connections get the certificate that it is given. */
  onChange(exchange: (next: Certificate) => Promise<void>): void;
  /**
   * Reads the files again. Ones that cannot be used are refused and logged; the old certificate stays.
   * `tells`: whether this process is the one that says what would be the same from each worker.
   */
  reload(tells: boolean): Promise<void>;
  close(): void;
}

interface CertificateOptions {
  readonly files: TlsFiles;
  readonly log: Log;
  /** Whether this process is the one that says what would be the same from each worker. */
  readonly tells: boolean;
  /** As configured: its host must be one of the certificate's. */
  readonly baseUrl: string | undefined;
}

/** Reads a certificate and goes on to look each day at how long it is valid. Throws CertificateError. */
export async function openCertificate({ files, log, tells, baseUrl }: CertificateOptions): Promise<ActiveCertificate> {
  const host = hostOf(baseUrl);
  let current = await readCertificate(files);
  const exchanges: ((next: Certificate) => Promise<void>)[] = [];
  let last = Promise.resolve();
  if (tells) tell(`TLS certificate ${describeCertificate(current)}`);
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
      // Whoever asked hears of what has failed; the next one is to be able to ask.
      last = done.catch(() => {});
      return done;
    },
    close: () => clearInterval(daily),
  };

  async function readAgain(tellsNow: boolean): Promise<void> {
    const next = await readOrRefuse();
    if (next === undefined) return;
    const isSame = next.certText === current.certText && next.keyText === current.keyText;
    if (!isSame && !(await putInForce(next))) return;
    current = next;
    if (!tellsNow) return;
    const what = isSame ? 'the TLS certificate is as it was' : 'new connections get the new TLS certificate';
    tell(`${what}: ${describeCertificate(next)}`);
  }

  async function putInForce(next: Certificate): Promise<boolean> {
    try {
      await Promise.all(exchanges.map((exchange) => exchange(next)));
      return true;
    } catch (error) {
      if (!(error instanceof ListenError)) throw error;
      log.error({ files }, `the new TLS certificate cannot be put in force: ${error.message}`);
      return false;
    }
  }

  async function readOrRefuse(): Promise<Certificate | undefined> {
    try {
      return await readCertificate(files);
    } catch (error) {
      if (!(error instanceof CertificateError)) throw error;
      const stays = `the old one stays in force, ${describeCertificate(current)}`;
      log.error({ files }, `the new TLS certificate is refused: ${error.message}; ${stays}`);
      return undefined;
    }
  }

  function tell(what: string): void {
    log.info({ certificate: factsOf(current) }, what);
    for (const warning of warningsAbout(current, new Date(), host)) log.warn({ file: files.cert }, warning);
  }
}

/** Adds how long the certificate in force is valid, for whoever watches from outside. */
export function addCertificateMetrics(registry: Registry, certificate: ActiveCertificate): void {
  new Gauge({
    name: 'repo_tls_certificate_expiry_timestamp_seconds',
    help: 'Until when the TLS certificate in force is valid.',
    registers: [registry],
    collect() {
      this.set(certificate.current.leaf.validToDate.getTime() / 1_000);
    },
  });
}
