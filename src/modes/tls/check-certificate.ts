import { readCertificate, type TlsFiles } from './certificate.ts';
import { describeCertificate, hostOf, warningsAbout } from './certificate-facts.ts';

/** What a certificate amounts to, in sentences for the person who chose it. Throws CertificateError. */
export async function checkCertificate(files: TlsFiles, baseUrl: string | undefined): Promise<string[]> {
  const certificate = await readCertificate(files);
  const warnings = warningsAbout(certificate, new Date(), hostOf(baseUrl));
  return [`TLS certificate: ${describeCertificate(certificate)}`, ...warnings.map((warning) => `warning: ${warning}`)];
}
