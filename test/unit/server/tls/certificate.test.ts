import { describe, expect, it } from 'bun:test';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TlsFiles } from '../../../../src/config/server-config.ts';
import {
  checkCertificate,
  describeCertificate,
  factsOf,
  readCertificate,
  warningsAbout,
} from '../../../../src/server/tls/certificate.ts';
import { type CertificateWishes, makeCertificate, writeCertificate } from '../../../support/certificates.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';

const good = await makeCertificate('good');
const other = await makeCertificate('other');
const issuer = await makeCertificate('A CA');

async function files(cert = good.cert, key = good.key): Promise<TlsFiles> {
  return writeCertificate(await emptyFolder(), { cert, key });
}

async function certificateWith(wishes: CertificateWishes) {
  const { cert, key } = await makeCertificate('wished', wishes);
  return readCertificate(await files(cert, key));
}

describe('a certificate with its key', () => {
  it.each(['ec', 'rsa'] as const)('is read: %s', async (keyType) => {
    const certificate = await certificateWith({ keyType, names: ['a.example.org', 'b.example.org'], days: 60 });
    const { subject, names, validUntil } = factsOf(certificate);
    expect({ subject, names }).toEqual({ subject: 'CN=wished', names: ['a.example.org', 'b.example.org'] });
    expect(Math.round((Date.parse(validUntil) - Date.now()) / 86_400_000)).toBe(60);
    expect(describeCertificate(certificate)).toBe(
      `for a.example.org, b.example.org, valid until ${validUntil.slice(0, 10)}`,
    );
    expect(warningsAbout(certificate, new Date(), undefined)).toEqual([]);
  });

  it('may be followed by its issuers and surrounded by other text', async () => {
    const { cert, key } = await makeCertificate('below', { issuer });
    const { chain, leaf } = await readCertificate(await files(`Bag Attributes\n${cert}\n\n${issuer.cert}`, key));
    expect({ subject: leaf.subject, chain: chain.length }).toEqual({ subject: 'CN=below', chain: 2 });
  });

  it.each([
    ['of another certificate', good.cert, other.key, 'privkey.pem is not the key of the certificate in'],
    ['that is invalid', good.cert, 'hello', 'privkey.pem holds no private key in PEM: it has another form'],
    ['that is empty', good.cert, '', 'privkey.pem holds no private key in PEM'],
    ['that is a certificate', good.cert, good.cert, 'it holds a certificate; have certificate and key been swapped?'],
    [
      'that is damaged',
      good.cert,
      '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n',
      'privkey.pem: the private key in it is damaged or of an unknown kind',
    ],
    [
      'under a passphrase of old',
      good.cert,
      good.key.replace('-----\n', '-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n'),
      'privkey.pem is protected by a passphrase',
    ],
  ])('is refused with a key %s', async (_, cert, key, message) => {
    await expect(readCertificate(await files(cert, key))).rejects.toThrow(message);
  });

  it('is refused with an encrypted key', async () => {
    const { cert, key } = await makeCertificate('hidden', { passphrase: 'secret' });
    await expect(readCertificate(await files(cert, key))).rejects.toThrow('is protected by a passphrase');
  });

  it.each([
    ['none', 'hello', 'fullchain.pem holds no certificate in PEM: PEM begins with -----BEGIN'],
    ['a key', good.key, 'it holds a key; have certificate and key been swapped?'],
    [
      'damaged',
      `${good.cert}\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
      'fullchain.pem: certificate 2 of 2 in it is damaged',
    ],
    ['in the wrong order', `${issuer.cert}\n${good.cert}`, 'must come first'],
  ])('is refused when it is %s', async (_, cert, message) => {
    await expect(readCertificate(await files(cert))).rejects.toThrow(message);
  });

  it('is refused if a file is missing, a folder, too large or unreadable', async () => {
    const found = await files();
    const folder = await emptyFolder();
    const at = (name: string) => ({ ...found, key: join(folder, name) });
    await expect(readCertificate(at('away'))).rejects.toThrow(
      `${join(folder, 'away')}, the TLS key, cannot be read: no such file`,
    );
    await mkdir(join(folder, 'folder'));
    await expect(readCertificate(at('folder'))).rejects.toThrow('it is no file');
    await writeFile(join(folder, 'large'), 'x'.repeat(2 ** 20 + 1));
    await expect(readCertificate(at('large'))).rejects.toThrow('is too large for a TLS key: it has 1048577 bytes');
    await chmod(found.cert, 0);
    // The superuser may read everything.
    if (process.getuid?.() !== 0)
      await expect(readCertificate(found)).rejects.toThrow('cannot be read: this user may not read it');
  });
});

describe('the warning', () => {
  const warnings = async (wishes: CertificateWishes, host?: string) =>
    warningsAbout(await certificateWith(wishes), new Date(), host).join('\n');

  it('reports a certificate that has expired, expires soon or is not yet valid', async () => {
    expect(await warnings({ days: -3 })).toContain('has expired: it was valid until');
    expect(await warnings({ days: 13 })).toContain('ends in 13 days: it is valid until');
    expect(await warnings({ days: 1 })).toContain('ends in 1 day:');
    expect(await warnings({ days: 14 })).toBe('');
    expect(await warnings({ startsInDays: 2 })).toContain('is not valid before');
  });

  it('reports a host that the certificate does not cover', async () => {
    const wishes = { names: ['repo.example.org', '*.example.net'] };
    expect(await warnings(wishes, 'repo.example.org')).toBe('');
    expect(await warnings(wishes, 'a.example.net')).toBe('');
    expect(await warnings(wishes, 'example.net')).toContain('is not for example.net, the host of the base URL');
    expect(await warnings(wishes, '[::1]')).toContain('is not for [::1]');
    expect(await warnings({ names: [] }, 'repo.example.org')).toContain('names no host (subjectAltName)');
  });

  it('reports a chain whose issuer did not issue the certificate', async () => {
    const certificate = await readCertificate(await files(`${good.cert}\n${issuer.cert}`));
    expect(warningsAbout(certificate, new Date(), undefined).join()).toContain('has not issued the one before it');
  });

  it('reports a key that every user may read', async () => {
    const found = await files();
    await chmod(found.key, 0o644);
    expect(await checkCertificate(found, undefined)).toEqual([
      expect.stringMatching(/^TLS certificate: for localhost, valid until \d{4}-\d\d-\d\d$/),
      `warning: every user of this machine may read ${found.key}: chmod o-rwx ${found.key}`,
    ]);
    await chmod(found.key, 0o640);
    expect(await checkCertificate(found, undefined)).toHaveLength(1);
  });
});
