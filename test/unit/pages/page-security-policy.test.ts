import { describe, expect, it } from 'bun:test';
import { findAsset } from '../../../src/pages/assets/assets.ts';
import { securityPolicy } from '../../../src/pages/security-policy.ts';

const style = new TextDecoder().decode(findAsset('frame.css')?.bytes);
const policy = securityPolicy();

/** The contrast of two colours (WCAG 2.2, "contrast ratio"). */
function contrast(a: string, b: string): number {
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].toSorted((one, other) => other - one);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const digits = colour.length === 4 ? colour.replace(/[0-9a-f]/g, '$&$&') : colour;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(digits.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

describe('the security policy of pages', () => {
  it('allows only scripts, styles and requests of this site, and nothing inline', () => {
    const directives = new Map(policy.split('; ').map((each) => [each.split(' ', 1)[0], each]));
    expect(directives.get('default-src')).toBe("default-src 'none'");
    for (const name of ['script-src', 'style-src', 'img-src', 'media-src', 'connect-src'])
      expect(directives.get(name)).toBe(`${name} 'self'`);
    expect([...directives.keys()].filter((name) => /object|frame-src|worker/.test(name ?? ''))).toEqual([]);
    expect(policy).not.toMatch(/unsafe|nonce|\*|https?:|data:|blob:/);
  });

  it('allows workers, generated images and a style nonce only where needed', () => {
    const needs = { hasWorkers: true, hasGeneratedImages: true, hasStyleNonce: true };
    const directives = securityPolicy(needs).split('; ');
    expect(directives).toContain("worker-src 'self' blob:");
    expect(directives).toContain("img-src 'self' blob: data:");
    expect(directives.find((each) => each.startsWith('style-src'))).toMatch(/^style-src 'self' 'nonce-[\w-]+'$/);
    expect(directives).toContain("script-src 'self'");
  });
});

describe('the style of pages', () => {
  const [screen = ''] = style.split('@media print');
  const schemes = screen.split('@media (prefers-color-scheme: dark)').map((part) => {
    const block = part.slice(0, part.indexOf('}'));
    return Object.fromEntries(
      [...block.matchAll(/--([\w-]+): (#[0-9a-f]+)/g)].map(([, name, colour]) => [name, colour]),
    );
  });

  it('meets the contrast of WCAG AA in light and dark', () => {
    expect(schemes).toHaveLength(2);
    for (const colours of schemes) {
      const pairs = ['ink', 'soft', 'accent'].flatMap((name) => [
        [name, 'paper'],
        [name, 'card'],
      ]);
      for (const [text = '', ground = ''] of [...pairs, ['mark', 'mark-paper'], ['accent-ink', 'accent']])
        expect(contrast(colours[text] ?? '', colours[ground] ?? ''), `${text} on ${ground}`).toBeGreaterThanOrEqual(
          4.5,
        );
    }
  });
});
