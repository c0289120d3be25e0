import { afterEach, describe, expect, it, spyOn } from 'bun:test';
import {
  generatePassword,
  hashPassword,
  MAX_PASSWORD_BYTES,
  passwordProblem,
  verifyAgainstNothing,
  verifyPassword,
} from '../../../src/auth/password.ts';
import { serviceError } from '../../support/service-error.ts';

const spies: { mockRestore(): void }[] = [];
afterEach(() => {
  for (const spy of spies.splice(0)) spy.mockRestore();
});

describe('a hashed password', () => {
  it('is argon2id with its cost, and differs each time', async () => {
    const [one, two] = await Promise.all([hashPassword('secret'), hashPassword('secret')]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(two).not.toBe(one);
  });

  it('is verified by its password only', async () => {
    const hash = await hashPassword('pä:ss wörd €');
    expect(await verifyPassword('pä:ss wörd €', hash)).toBe(true);
    for (const wrong of ['pä:ss wörd', 'Pä:ss wörd €', 'pä:ss wörd €\u0000', ' pä:ss wörd €', ''])
      expect(await verifyPassword(wrong, hash)).toBe(false);
  });

  it('is verified with composed or decomposed letters', async () => {
    const hash = await hashPassword('caf\u00e9');
    expect(await verifyPassword('cafe\u0301', hash)).toBe(true);
  });

  it('is verified if it was hashed at another cost', async () => {
    const hash = await Bun.password.hash('old', { algorithm: 'argon2id', memoryCost: 8192, timeCost: 1 });
    expect(await verifyPassword('old', hash)).toBe(true);
    expect(await verifyPassword('new', hash)).toBe(false);
  });
});

describe('limits', () => {
  const tooLong = 'ä'.repeat(MAX_PASSWORD_BYTES / 2 + 1);

  it('reject an empty or overlong password before hashing', async () => {
    const hash = spyOn(Bun.password, 'hash');
    const verify = spyOn(Bun.password, 'verify');
    spies.push(hash, verify);
    await expect(hashPassword('')).rejects.toThrow(serviceError('malformed', /must not be empty/));
    await expect(hashPassword(tooLong)).rejects.toThrow(serviceError('malformed', /longer than 4096 bytes/));
    expect(await verifyPassword(tooLong, '$argon2id$')).toBe(false);
    expect(await verifyAgainstNothing(tooLong)).toBe(false);
    expect(await verifyAgainstNothing('')).toBe(false);
    expect(hash).not.toHaveBeenCalled();
    expect(verify).not.toHaveBeenCalled();
  });

  it.each([
    ['', 'The password must not be empty.'],
    [tooLong, 'The password must not be longer than 4096 bytes.'],
    ['a'.repeat(MAX_PASSWORD_BYTES), undefined],
    [' ', undefined],
  ])('are reported in one sentence', (password, problem) => {
    expect(passwordProblem(password)).toBe(problem as string);
  });

  it('reject excess checks instead of queueing them without a limit', async () => {
    const flood = await Promise.allSettled(Array.from({ length: 400 }, (_, i) => verifyAgainstNothing(`x${i}`)));
    const refused = flood.filter((check) => check.status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(400);
    for (const { reason } of refused) expect(reason).toMatchObject({ kind: 'over-capacity' });
    expect(await verifyAgainstNothing('later')).toBe(false);
  }, 60_000);
});

it.each([
  ['does not exist', () => verifyAgainstNothing('secret')],
  ['has no password', () => verifyPassword('secret', '')],
])('a check spends the work of one hash on a user that %s', async (_, refuse) => {
  const hash = spyOn(Bun.password, 'hash');
  spies.push(hash);
  expect(await refuse()).toBe(false);
  expect(hash).toHaveBeenCalledTimes(1);
  expect(hash.mock.calls[0]?.[1]).toMatchObject({ algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 });
});

it.each(['plain text', '$S$EZ1abc', '$1$salt$hash'])(
  'verifyPassword reports a stored text that is not a hash: %p',
  async (stored) => {
    await expect(verifyPassword('secret', stored)).rejects.toThrow(
      serviceError('misconfigured', /^The stored password of this user cannot be checked/),
    );
  },
);

it('generatePassword returns a new legible password each time', () => {
  const passwords = Array.from({ length: 500 }, generatePassword);
  for (const password of passwords) expect(password).toMatch(/^[a-hjkmnp-z2-9]{5}(-[a-hjkmnp-z2-9]{5}){4}$/);
  expect(new Set(passwords).size).toBe(500);
  expect(new Set(passwords.join('')).size).toBe(32);
});
