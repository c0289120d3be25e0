import { beforeAll, describe, expect, it } from 'bun:test';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { chmod, chown, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CompactSign, calculateJwkThumbprint, compactVerify, importJWK } from 'jose';
import { loadSecret } from '../../../src/auth/secret.ts';
import { loadSigningKey, publicKeySet, type SigningKey } from '../../../src/auth/signing-key.ts';
import { emptyFolder } from '../../support/empty-folder.ts';

let root: string;
let made = 0;
function newFolder(): string {
  made += 1;
  return join(root, String(made), 'keys');
}
beforeAll(async () => {
  root = await emptyFolder();
});

async function folderWith(name: string, text: string | Buffer, mode = 0o600): Promise<string> {
  const folder = newFolder();
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), text);
  await chmod(join(folder, name), mode);
  return folder;
}

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
const pemOf = (type: 'rsa' | 'ed25519', options: object) =>
  (generateKeyPairSync as (type: string, options: object) => { privateKey: { export(o: object): string } })(
    type,
    options,
  ).privateKey.export({ type: 'pkcs8', format: 'pem' });

async function fits(one: SigningKey, other: SigningKey): Promise<boolean> {
  const signed = await new CompactSign(new Uint8Array([1])).setProtectedHeader({ alg: 'RS256' }).sign(one.privateKey);
  return compactVerify(signed, other.publicKey).then(
    () => true,
    () => false,
  );
}

describe('the signing key', () => {
  it('is created once, in a file that only its owner can read', async () => {
    const folder = newFolder();
    const key = await loadSigningKey(folder);
    expect(await modeOf(folder)).toBe('700');
    expect(await modeOf(join(folder, 'jwt-rsa.pem'))).toBe('600');
    expect(await readFile(join(folder, 'jwt-rsa.pem'), 'utf8')).toStartWith('-----BEGIN PRIVATE KEY-----');
    expect(await readdir(folder)).toEqual(['jwt-rsa.pem']);
    const again = await loadSigningKey(folder);
    expect(again.kid).toBe(key.kid);
    expect(await fits(key, again)).toBe(true);
  });

  it('is the same for concurrent callers', async () => {
    const folder = newFolder();
    const keys = await Promise.all(Array.from({ length: 8 }, () => loadSigningKey(folder)));
    expect(new Set(keys.map((key) => key.kid)).size).toBe(1);
    expect(await readdir(folder)).toEqual(['jwt-rsa.pem']);
  });

  it('is the same for processes that start together', async () => {
    const folder = newFolder();
    const source = join(import.meta.dir, '../../../src/auth/signing-key.ts');
    const script = `const { loadSigningKey } = await import(${JSON.stringify(source)});
      console.log((await loadSigningKey(${JSON.stringify(folder)})).kid);`;
    const kids = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' });
        return (await new Response(child.stdout).text()).trim();
      }),
    );
    expect(kids).toEqual(Array(4).fill((await loadSigningKey(folder)).kid));
  });

  it('does not block the program while it is created', async () => {
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 1);
    for (let i = 0; i < 3; i += 1) await loadSigningKey(newFolder());
    clearInterval(timer);
    expect(ticks).toBeGreaterThan(5);
  });

  it('is published without its private part, under its thumbprint', async () => {
    const key = await loadSigningKey(newFolder());
    const set = publicKeySet([key]);
    const [jwk] = JSON.parse(JSON.stringify(set)).keys;
    expect(Object.keys(jwk).toSorted()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
    expect(jwk).toMatchObject({ kty: 'RSA', alg: 'RS256', use: 'sig', kid: key.kid });
    expect(jwk.kid).toBe(await calculateJwkThumbprint(jwk));
    const signed = await new CompactSign(new Uint8Array([1])).setProtectedHeader({ alg: 'RS256' }).sign(key.privateKey);
    await compactVerify(signed, await importJWK(jwk));
  });

  it('may be longer, and in the older PKCS#1 form', async () => {
    const pem = createPrivateKey(pemOf('rsa', { modulusLength: 3072 })).export({ type: 'pkcs1', format: 'pem' });
    const key = await loadSigningKey(await folderWith('jwt-rsa.pem', pem));
    expect(Buffer.from(key.publicJwk.n as string, 'base64url').length).toBe(384);
    expect(await fits(key, key)).toBe(true);
  });

  const encrypted = () =>
    generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' },
    });
  it.each<[string, () => string, RegExp]>([
    ['an empty file', () => '', /jwt-rsa\.pem:1: this is no private key in PEM format; create one with: openssl/],
    ['something else', () => 'hello', /this is no private key/],
    ['half a key', () => pemOf('rsa', { modulusLength: 2048 }).slice(0, 900), /this is no private key/],
    ['a public key', () => encrypted().publicKey, /this is no private key/],
    ['a short key', () => pemOf('rsa', { modulusLength: 1024 }), /must have 2048 bits or more, found 1024/],
    ['another kind of key', () => pemOf('ed25519', {}), /must be an RSA key, found ed25519/],
    ['an encrypted key', () => encrypted().privateKey, /is encrypted; decrypt it with/],
    ['far too much', () => 'x'.repeat(70_000), /larger than 65536 bytes/],
  ])('is refused when the file holds %s', async (_, text, message) => {
    const folder = await folderWith('jwt-rsa.pem', text());
    const before = await readFile(join(folder, 'jwt-rsa.pem'), 'utf8');
    await expect(loadSigningKey(folder)).rejects.toThrow(message);
    await expect(loadSigningKey(folder)).rejects.toMatchObject({ name: 'ConfigError' });
    expect(await readFile(join(folder, 'jwt-rsa.pem'), 'utf8')).toBe(before);
  });

  it.each([0o644, 0o604, 0o620, 0o602, 0o666])('is refused when others may touch it (mode %o)', async (mode) => {
    const folder = await folderWith('jwt-rsa.pem', pemOf('rsa', { modulusLength: 2048 }), mode);
    const file = join(folder, 'jwt-rsa.pem');
    await expect(loadSigningKey(folder)).rejects.toThrow(
      new RegExp(`^${file}:1: .*mode ${mode.toString(8)}.*chmod 600 ${file}$`),
    );
  });

  it('may be readable by the group of root only', async () => {
    const folder = await folderWith('jwt-rsa.pem', pemOf('rsa', { modulusLength: 2048 }), 0o640);
    if (process.getuid?.() === 0) {
      expect(await loadSigningKey(folder)).toHaveProperty('kid');
      await chown(join(folder, 'jwt-rsa.pem'), 65_534, 65_534);
    }
    await expect(loadSigningKey(folder)).rejects.toThrow(/mode 640.*chmod 600/);
  });

  it('is refused when a folder is in its place, or a file in place of the folder', async () => {
    const folder = newFolder();
    await mkdir(join(folder, 'jwt-rsa.pem'), { recursive: true });
    await expect(loadSigningKey(folder)).rejects.toMatchObject({ name: 'ConfigError' });
    const file = join(await folderWith('plain', 'x'), 'plain');
    await expect(loadSigningKey(file)).rejects.toThrow(/jwt-rsa\.pem:1: the file cannot be (read|made) \(ENOTDIR\)/);
  });
});

describe('the secret', () => {
  it('is 32 bytes, created once, and readable only by its owner', async () => {
    const folder = newFolder();
    const secrets = await Promise.all(Array.from({ length: 8 }, () => loadSecret(folder)));
    expect(secrets[0]).toHaveLength(32);
    for (const secret of secrets) expect(secret.equals(await loadSecret(folder))).toBe(true);
    expect(await modeOf(join(folder, 'secret.key'))).toBe('600');
    expect((await loadSecret(newFolder())).equals(secrets[0] as Buffer)).toBe(false);
  });

  it.each([
    [''],
    ['short'],
    ['A'.repeat(42)],
    ['A'.repeat(44)],
    [`${'A'.repeat(42)}!`],
    [`${'A'.repeat(21)}\n${'A'.repeat(22)}`],
  ])('is refused when the file holds %p', async (text) => {
    const folder = await folderWith('secret.key', text);
    await expect(loadSecret(folder)).rejects.toThrow(/secret\.key:1: this must be 32 random bytes in base64url/);
  });

  it('is refused when others may read it', async () => {
    const folder = await folderWith('secret.key', 'A'.repeat(43), 0o644);
    await expect(loadSecret(folder)).rejects.toThrow(/chmod 600/);
  });
});
