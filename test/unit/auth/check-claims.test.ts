import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { checkClaims, isOutdated } from '../../../src/auth/check-claims.ts';

const NOW_S = 1_700_000_000;
const claims = (changes: Record<string, unknown> = {}) => ({
  webid: '7',
  sub: 'admin',
  roles: ['authenticated'],
  iss: 'http://any.example',
  exp: NOW_S + 60,
  ...changes,
});
const judge = (changes: Record<string, unknown>) => checkClaims(claims(changes), NOW_S * 1000);

describe('checkClaims accepts claims', () => {
  it.each<[string, Record<string, unknown>]>([
    ['as they are issued', { aud: ['islandora'], iat: NOW_S, drupal: { uid: '7' } }],
    ['without an audience', {}],
    ['with one audience as text', { aud: 'islandora' }],
    ['with our audience among others', { aud: ['x', 'islandora'] }],
    ['with a user id that is a number', { webid: 7 }],
    ['without roles in the list', { roles: [] }],
    ['with a nbf that has come', { nbf: NOW_S }],
    ['with a nbf that is 5 s off', { nbf: NOW_S + 5 }],
    ['with an exp that is just past', { exp: NOW_S - 4 }],
    ['with a fraction of a second', { exp: NOW_S + 0.5 }],
  ])('%s', (_, changes) => {
    expect(judge(changes)).toMatchObject({ identity: { uid: 7, name: 'admin' } });
  });

  it('with their expiry time', () => {
    expect(judge({})).toMatchObject({ expiresAtMs: (NOW_S + 60) * 1000 });
  });
});

describe('checkClaims rejects claims', () => {
  it.each(['webid', 'sub', 'roles', 'iss', 'exp'])('without %s', (name) => {
    expect(judge({ [name]: undefined })).toEqual({ problem: `The token has no claim "${name}".` });
  });

  it.each<[string, unknown[]]>([
    [
      'webid',
      ['', '0', '-1', '1.5', '01', '1e3', ' 7', '7 ', '99999999999999999', 0, -1, 1.5, 2 ** 53, null, ['7'], {}, true],
    ],
    ['sub', ['', null, 7, ['admin'], {}]],
    ['iss', ['', null, 7, ['http://x']]],
    ['roles', ['authenticated', null, {}, [1], [null]]],
    ['exp', [null, 'never', '1700000060', [], {}, true]],
    ['nbf', [null, 'now', []]],
    ['iat', [null, 'now', []]],
    ['credentials_changed', [null, '0', [], {}, true]],
    ['aud', [null, '', [], ['x'], 'Islandora', 'islandora.example', { islandora: true }, [['islandora']]]],
  ])('with a wrong %s', (name, values) => {
    for (const value of values)
      expect(judge({ [name]: value })).toEqual({ problem: `The claim "${name}" of the token is not accepted.` });
  });

  it('five seconds or more after exp', () => {
    expect(judge({ exp: NOW_S - 5 })).toEqual({ problem: 'The token has expired.' });
  });

  it('more than five seconds before nbf', () => {
    expect(judge({ nbf: NOW_S + 6 })).toEqual({ problem: 'The token is not valid yet.' });
  });

  it.each([[null], [undefined], ['text'], [7], [[]], [[claims()]]])('that are %p', (value) => {
    expect(checkClaims(value, 0)).toEqual({ problem: 'The token is not a valid JWT.' });
  });
});

describe('a token', () => {
  const token = (credentialsChanged: number | undefined, issuedAt?: number) => ({
    uid: 7,
    name: 'admin',
    credentialsChanged,
    issuedAt,
  });

  it.each([
    [token(0, NOW_S), 0, false],
    [token(NOW_S * 1000 + 1, NOW_S), NOW_S * 1000 + 1, false],
    [token(0, NOW_S + 999), 1, true],
    [token(NOW_S * 1000 + 1, NOW_S + 999), NOW_S * 1000 + 2, true],
    [token(NOW_S * 1000 + 2, NOW_S + 999), NOW_S * 1000 + 1, true],
  ])('with a version is outdated if the account has another one', (identity, changed, outdated) => {
    expect(isOutdated(identity, changed)).toBe(outdated);
  });

  it.each([
    [token(undefined), 0, false],
    [token(undefined, NOW_S), 0, false],
    [token(undefined), 1, true],
    [token(undefined, NOW_S), NOW_S * 1000 - 1, false],
    [token(undefined, NOW_S), NOW_S * 1000, true],
    [token(undefined, NOW_S), NOW_S * 1000 + 999, true],
    [token(undefined, NOW_S), NOW_S * 1000 + 1000, true],
  ])('without a version is outdated unless issued in a later second than the change', (identity, changed, outdated) => {
    expect(isOutdated(identity, changed)).toBe(outdated);
  });
});

it('checkClaims judges any claims without throwing, and never accepts user 0', () => {
  fc.assert(
    fc.property(
      fc.record({ webid: fc.jsonValue(), sub: fc.jsonValue(), exp: fc.jsonValue(), aud: fc.jsonValue() }),
      (odd) => {
        const verdict = checkClaims({ ...claims(), ...odd }, NOW_S * 1000);
        if ('problem' in verdict) return verdict.problem.startsWith('The ');
        return verdict.identity.uid > 0 && verdict.identity.name !== '';
      },
    ),
  );
});
