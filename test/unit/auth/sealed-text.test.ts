import { describe, expect, it } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { openSealedText, sealText } from '../../../src/auth/sealed-text.ts';

const secret = randomBytes(32);

describe('a sealed text', () => {
  it('opens for its purpose, with text in any script', () => {
    const sealed = sealText('paging', '["é",“x”,😀]', secret);
    expect(sealed).toMatch(/^[\w.-]+$/);
    expect(openSealedText('paging', sealed, secret)).toBe('["é",“x”,😀]');
  });

  it('does not open for another purpose or with another secret', () => {
    const sealed = sealText('paging', 'text', secret);
    expect(openSealedText('other', sealed, secret)).toBeUndefined();
    expect(openSealedText('paging', sealed, randomBytes(32))).toBeUndefined();
  });

  it('does not open after any change of a character', () => {
    const sealed = sealText('paging', 'text', secret);
    for (let index = 0; index < sealed.length; index++) {
      const changed = `${sealed.slice(0, index)}${sealed[index] === 'Q' ? 'g' : 'Q'}${sealed.slice(index + 1)}`;
      expect(openSealedText('paging', changed, secret)).toBeUndefined();
    }
  });

  it('does not open if it is not a sealed text', () => {
    for (const junk of ['', '.', 'a.b', 'a', `${'a'.repeat(5_000)}.b`, '\0.\0', 'é.é'])
      expect(openSealedText('paging', junk, secret)).toBeUndefined();
  });
});
