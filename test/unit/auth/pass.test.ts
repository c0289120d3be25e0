import { describe, expect, it } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { type Challenge, type Solution, solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { createPassChallenge, PASS_S, readPass, redeemChallenge } from '../../../src/auth/pass.ts';

const SECRET = randomBytes(32);
const NOW = Date.now() / 1_000;

async function solved(now = NOW): Promise<{ challenge: Challenge; solution: Solution }> {
  const challenge: Challenge = JSON.parse(await createPassChallenge(SECRET, now));
  const solution = await solveChallenge({ challenge, deriveKey });
  if (solution === null) throw new Error('not solved in time');
  return { challenge, solution };
}
const redeem = (payload: unknown, secret = SECRET) => redeemChallenge(JSON.stringify(payload), secret, NOW);

describe('a pass', () => {
  it('is given for a solved challenge, and is valid for a day', async () => {
    const pass = await redeem(await solved());
    expect(readPass(pass, SECRET, NOW)).toBeString();
    expect(readPass(pass, SECRET, NOW + PASS_S - 1)).toBeString();
    expect(readPass(pass, SECRET, NOW + PASS_S)).toBeUndefined();
    expect(readPass(pass, randomBytes(32), NOW)).toBeUndefined();
  });

  it('is the same however often a solution is sent', async () => {
    const payload = await solved();
    const [one, other] = [await redeem(payload), await redeem(payload)];
    expect(readPass(one, SECRET, NOW)).toBe(readPass(other, SECRET, NOW) as string);
  });

  it('is not given for another secret, an easier challenge, a wrong solution or an old one', async () => {
    const { challenge, solution } = await solved();
    const easier = { ...challenge, parameters: { ...challenge.parameters, cost: 1 } };
    expect(await redeem({ challenge, solution }, randomBytes(32))).toBeUndefined();
    expect(await redeem({ challenge: easier, solution })).toBeUndefined();
    expect(await redeem({ challenge, solution: { ...solution, counter: solution.counter + 1 } })).toBeUndefined();
    expect(await redeem(await solved(NOW - 3_600))).toBeUndefined();
  });

  it.each([
    '',
    '{',
    'null',
    '[]',
    '{}',
    '{"challenge":{}}',
    '{"challenge":null,"solution":1}',
    `"${'x'.repeat(9_000)}"`,
  ])('is not given for %p', async (payload) => {
    expect(await redeemChallenge(payload, SECRET, NOW)).toBeUndefined();
  });

  it.each([undefined, '', 'x', 'x.y'])('is not read from %p', (text) => {
    expect(readPass(text, SECRET, NOW)).toBeUndefined();
  });
});
