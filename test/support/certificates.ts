import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import type { TlsFiles } from '../../src/config/server-config.ts';

const DAY_MS = 86_400_000;

export interface MadeCertificate {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateWishes {
  /** Hosts that it is for; none: it has no such list. */
  readonly names?: readonly string[];
  /** From now, also in the past. */
  readonly days?: number;
  readonly startsInDays?: number;
  readonly issuer?: MadeCertificate;
  readonly passphrase?: string;
  readonly keyType?: 'ec' | 'rsa';
}

/** A certificate with its key in PEM, self-signed or signed by an issuer. */
export async function makeCertificate(subject: string, wishes: CertificateWishes = {}): Promise<MadeCertificate> {
  const { names = ['localhost'], days = 90, startsInDays, issuer, passphrase, keyType = 'ec' } = wishes;
  const starts = startsInDays ?? Math.min(0, days) - 1;
  const isIssuer = { name: 'basicConstraints', cA: subject.includes('CA'), critical: true } as const;
  const altNames = names.map((value) => ({ type: 2, value }) as const);
  const made = await generate([{ name: 'commonName', value: subject }], {
    keyType,
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() + starts * DAY_MS),
    // A minute more, so that whole days stay whole for as long as a test takes.
    notAfterDate: new Date(Date.now() + days * DAY_MS + 60_000),
    extensions: altNames.length === 0 ? [isIssuer] : [isIssuer, { name: 'subjectAltName', altNames }],
    ...(issuer && { ca: issuer }),
    ...(passphrase && { passphrase }),
  });
  return { cert: made.cert, key: made.private };
}

/** Writes certificate and key as files of a folder. */
export async function writeCertificate(folder: string, { cert, key }: MadeCertificate): Promise<TlsFiles> {
  const files = { cert: join(folder, 'fullchain.pem'), key: join(folder, 'privkey.pem') };
  await writeFile(files.cert, cert);
  await writeFile(files.key, key, { mode: 0o600 });
  return files;
}
