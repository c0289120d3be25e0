import { isIP } from 'node:net';
import type { TlsFiles } from '../../config/server-config.ts';
import type { Certificate } from './certificate.ts';
import { readCertificate } from './certificate.ts';

const DAY_MS = 86_400_000;
/** Whoever renews by machine does it a month ahead: at two weeks that has failed. */
const WARN_MS = 14 * DAY_MS;

/** What a certificate says, for the log. */
export interface CertificateFacts {
  readonly subject: string;
  readonly names: readonly string[];
  readonly validUntil: string;
}

/** Whom a certificate is for, and how long. */
export function factsOf({ leaf }: Certificate): CertificateFacts {
  return { subject: leaf.subject.replaceAll('\n', ', '), names: namesOf(leaf.subjectAltName), validUntil: endOf(leaf) };
}

/** A certificate in a few words: `for repository.example.org, valid until 2027-01-31`. */
export function describeCertificate(certificate: Certificate): string {
  const { subject, names, validUntil } = factsOf(certificate);
  return `for ${names.join(', ') || subject}, valid until ${validUntil.slice(0, 10)}`;
}

/** The host that a certificate must be for: that of a base URL on https. */
export function hostOf(baseUrl: string | undefined): string | undefined {
  return baseUrl?.startsWith('https:') ? new URL(baseUrl).hostname : undefined;
}

/** What will keep some or all callers away, or is unsafe. `host`: of the base URL; undefined: there is none. */
export function warningsAbout(certificate: Certificate, now: Date, host: string | undefined): string[] {
  const { files, leaf, chain, isKeyReadableByOthers } = certificate;
  const warnings = warningsAboutTime(certificate, now);
  if (leaf.subjectAltName === undefined)
    warnings.push(`the certificate in ${files.cert} names no host (subjectAltName): browsers refuse it`);
  else if (host !== undefined && !isFor(leaf, host))
    warnings.push(`the certificate in ${files.cert} is not for ${host}, the host of the base URL`);
  const strange = chain.findIndex((each, index) => index > 0 && !chain[index - 1]?.checkIssued(each));
  if (strange > 0)
    warnings.push(
      `certificate ${strange + 1} in ${files.cert} has not issued the one before it: some clients refuse that`,
    );
  if (isKeyReadableByOthers) warnings.push(`everybody on this machine may read ${files.key}: chmod o-rwx ${files.key}`);
  return warnings;
}

/** What time alone makes of a certificate. */
export function warningsAboutTime({ files, leaf }: Certificate, now: Date): string[] {
  const leftMs = leaf.validToDate.getTime() - now.getTime();
  const end = endOf(leaf);
  if (leftMs < 0) return [`the certificate in ${files.cert} has expired: it was valid until ${end}`];
  if (leaf.validFromDate > now)
    return [`the certificate in ${files.cert} is not valid before ${leaf.validFromDate.toISOString()}`];
  if (leftMs >= WARN_MS) return [];
  const days = Math.floor(leftMs / DAY_MS);
  return [`the certificate in ${files.cert} ends in ${days} ${days === 1 ? 'day' : 'days'}: it is valid until ${end}`];
}

function endOf(leaf: Certificate['leaf']): string {
  return leaf.validToDate.toISOString().replace('.000Z', 'Z');
}

function namesOf(subjectAltName: string | undefined): string[] {
  return (subjectAltName?.split(', ') ?? []).map((name) => name.replace(/^(?:DNS|IP Address):/, ''));
}

function isFor(leaf: Certificate['leaf'], host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  return (isIP(bare) === 0 ? leaf.checkHost(bare) : leaf.checkIP(bare)) !== undefined;
}

/** What a certificate amounts to, in sentences for the person who chose it. Throws CertificateError. */
export async function checkCertificate(files: TlsFiles, baseUrl: string | undefined): Promise<string[]> {
  const certificate = await readCertificate(files);
  const warnings = warningsAbout(certificate, new Date(), hostOf(baseUrl));
  return [`TLS certificate: ${describeCertificate(certificate)}`, ...warnings.map((warning) => `warning: ${warning}`)];
}
