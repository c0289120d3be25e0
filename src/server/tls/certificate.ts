import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { TlsFiles } from '../../config/server-config.ts';

/** Maximum size of a file: a chain has some kilobytes. */
const MAX_FILE_BYTES = 1024 * 1024;
const FOR_OTHERS = 0o007;
const CERTIFICATE = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]*-----END (?:TRUSTED |X509 )?CERTIFICATE-----/g;

/** A usable certificate with its key. */
export interface Certificate {
  readonly files: TlsFiles;
  readonly certText: string;
  readonly keyText: string;
  /** The server's own certificate. */
  readonly leaf: X509Certificate;
  readonly chain: readonly X509Certificate[];
  readonly isKeyReadableByOthers: boolean;
}

/** An unusable certificate or key. The message is for the administrator. */
export class CertificateError extends Error {
  override readonly name = 'CertificateError';
}

/** Reads a certificate and its key. Throws CertificateError, which names the file and the problem. */
export async function readCertificate(files: TlsFiles): Promise<Certificate> {
  const { text: certText } = await readText(files.cert, 'certificate');
  const { text: keyText, mode } = await readText(files.key, 'key');
  const [leaf, ...others] = parseChain(files.cert, certText);
  const key = parseKey(files.key, keyText);
  if (!leaf.checkPrivateKey(key)) throw new CertificateError(mismatch(files, others, key));
  try {
    createSecureContext({ cert: certText, key: keyText });
  } catch (error) {
    throw new CertificateError(`${files.cert} and ${files.key} cannot be used: ${(error as Error).message}`);
  }
  const isKeyReadableByOthers = process.platform !== 'win32' && (mode & FOR_OTHERS) !== 0;
  return { files, certText, keyText, leaf, chain: [leaf, ...others], isKeyReadableByOthers };
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  ENOTDIR: 'no such file',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
  ELOOP: 'its symbolic links form a loop',
};

async function readText(file: string, what: string): Promise<{ text: string; mode: number }> {
  try {
    const stats = await stat(file);
    if (!stats.isFile()) throw new CertificateError(`${file}, the TLS ${what}, cannot be read: it is no file`);
    if (stats.size > MAX_FILE_BYTES)
      throw new CertificateError(`${file} is too large for a TLS ${what}: it has ${stats.size} bytes`);
    return { text: await readFile(file, 'utf8'), mode: stats.mode };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (error instanceof CertificateError || code === undefined) throw error;
    throw new CertificateError(`${file}, the TLS ${what}, cannot be read: ${REASONS[code] ?? code}`);
  }
}

function parseChain(file: string, text: string): [X509Certificate, ...X509Certificate[]] {
  const blocks = text.match(CERTIFICATE) ?? [];
  const chain = blocks.map((block, index) => {
    try {
      return new X509Certificate(block);
    } catch {
      throw new CertificateError(`${file}: certificate ${index + 1} of ${blocks.length} in it is damaged`);
    }
  });
  const [leaf, ...others] = chain;
  if (leaf !== undefined) return [leaf, ...others];
  const isKey = text.includes('PRIVATE KEY-----');
  const hint = isKey ? 'it holds a key; have certificate and key been swapped?' : 'PEM begins with -----BEGIN …';
  throw new CertificateError(`${file} holds no certificate in PEM: ${hint}`);
}

function parseKey(file: string, text: string): KeyObject {
  if (!text.includes('PRIVATE KEY-----')) {
    const isCertificate = text.includes('CERTIFICATE-----');
    const hint = isCertificate
      ? 'it holds a certificate; have certificate and key been swapped?'
      : 'it has another form';
    throw new CertificateError(`${file} holds no private key in PEM: ${hint}`);
  }
  if (text.includes('BEGIN ENCRYPTED PRIVATE KEY') || /Proc-Type:\s*4,\s*ENCRYPTED/.test(text)) {
    const way = `openssl pkey -in ${file} -out open.key`;
    throw new CertificateError(`${file} is protected by a passphrase, which a start cannot ask for: ${way}`);
  }
  try {
    return createPrivateKey(text);
  } catch {
    throw new CertificateError(`${file}: the private key in it is damaged or of an unknown kind`);
  }
}

function mismatch({ cert, key }: TlsFiles, others: readonly X509Certificate[], privateKey: KeyObject): string {
  const isFurtherDown = others.some((each) => each.checkPrivateKey(privateKey));
  if (isFurtherDown)
    return `${cert} begins with another certificate: the server's own, that of ${key}, must come first`;
  return `${key} is not the key of the certificate in ${cert}`;
}

const DAY_MS = 86_400_000;
/** Warns two weeks before expiry. Automatic renewal, usually a month before, has failed by then. */
const WARN_MS = 14 * DAY_MS;

/** The facts about a certificate for the log. */
interface CertificateFacts {
  readonly subject: string;
  readonly names: readonly string[];
  readonly validUntil: string;
}

/** Returns the subject, the names and the expiry of a certificate. */
export function factsOf({ leaf }: Certificate): CertificateFacts {
  return { subject: leaf.subject.replaceAll('\n', ', '), names: namesOf(leaf.subjectAltName), validUntil: endOf(leaf) };
}

/** Returns a short description, such as `for repository.example.org, valid until 2027-01-31`. */
export function describeCertificate(certificate: Certificate): string {
  const { subject, names, validUntil } = factsOf(certificate);
  return `for ${names.join(', ') || subject}, valid until ${validUntil.slice(0, 10)}`;
}

/** Returns the host that a certificate must name: that of a base URL with https. */
export function hostOf(baseUrl: string | undefined): string | undefined {
  return baseUrl?.startsWith('https:') ? new URL(baseUrl).hostname : undefined;
}

/** Returns warnings about problems for clients and about unsafe files. `host` is that of the base URL, if there is one. */
export function warningsAbout(certificate: Certificate, now: Date, host: string | undefined): string[] {
  const { files, leaf, chain, isKeyReadableByOthers } = certificate;
  const warnings = warningsAboutTime(certificate, now);
  if (leaf.subjectAltName === undefined)
    warnings.push(`the certificate in ${files.cert} names no host (subjectAltName): browsers refuse it`);
  else if (host !== undefined && !isFor(certificate, host))
    warnings.push(`the certificate in ${files.cert} is not for ${host}, the host of the base URL`);
  const strange = chain.findIndex((each, index) => index > 0 && !chain[index - 1]?.checkIssued(each));
  if (strange > 0)
    warnings.push(
      `certificate ${strange + 1} in ${files.cert} has not issued the one before it: some clients refuse that`,
    );
  if (isKeyReadableByOthers)
    warnings.push(`every user of this machine may read ${files.key}: chmod o-rwx ${files.key}`);
  return warnings;
}

/** Returns warnings about the period of validity. */
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

/** Returns true if a certificate is valid for a host, which may be an address. */
export function isFor({ leaf }: Pick<Certificate, 'leaf'>, host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  return (isIP(bare) === 0 ? leaf.checkHost(bare) : leaf.checkIP(bare)) !== undefined;
}

/** Returns a summary of a certificate with its warnings, in sentences. Throws CertificateError. */
export async function checkCertificate(files: TlsFiles, baseUrl: string | undefined): Promise<string[]> {
  const certificate = await readCertificate(files);
  const warnings = warningsAbout(certificate, new Date(), hostOf(baseUrl));
  return [`TLS certificate: ${describeCertificate(certificate)}`, ...warnings.map((warning) => `warning: ${warning}`)];
}
