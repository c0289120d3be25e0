import { Gauge, type Registry } from 'prom-client';
import type { CertificateInForce } from './certificate-in-force.ts';

/** Adds how long the certificate in force is valid, for whoever watches from outside. */
export function addCertificateMetrics(registry: Registry, certificate: CertificateInForce): void {
  new Gauge({
    name: 'repo_tls_certificate_expiry_timestamp_seconds',
    help: 'Until when the TLS certificate in force is valid.',
    registers: [registry],
    collect() {
      this.set(certificate.current.leaf.validToDate.getTime() / 1_000);
    },
  });
}
