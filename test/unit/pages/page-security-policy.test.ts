import { describe, expect, it } from 'bun:test';
import { errorPage } from '../../../src/pages/error-page.tsx';
import { pageSecurityPolicy } from '../../../src/pages/layout.tsx';

const html = errorPage(404, '', { siteName: 'Archive', baseUrl: 'http://repo.example' });
const [style = ''] = [...html.matchAll(/<style>(.*?)<\/style>/gs)].map(([, text]) => text);

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
  it('allows the style that stands in the page, by its hash', () => {
    const hash = new Bun.CryptoHasher('sha256').update(style).digest('base64');
    expect(style).toContain('prefers-color-scheme: dark');
    expect(pageSecurityPolicy).toContain(`style-src 'sha256-${hash}'`);
  });

  it('allows nothing that runs, and nothing from elsewhere', () => {
    const directives = new Map(pageSecurityPolicy.split('; ').map((each) => [each.split(' ', 1)[0], each]));
    expect(directives.get('default-src')).toBe("default-src 'none'");
    expect([...directives.keys()].filter((name) => /script|connect|object|frame-src/.test(name ?? ''))).toEqual([]);
    expect(pageSecurityPolicy).not.toMatch(/unsafe|\*|https?:|data:/);
  });
});

describe('the style of pages', () => {
  const schemes = style.split('@media (prefers-color-scheme: dark)').map((part) => {
    const block = part.slice(0, part.indexOf('}'));
    return Object.fromEntries(
      [...block.matchAll(/--([\w-]+): (#[0-9a-f]+)/g)].map(([, name, colour]) => [name, colour]),
    );
  });

  it('has the contrast of WCAG AA, in light and dark', () => {
    expect(schemes).toHaveLength(2);
    for (const colours of schemes) {
      const pairs = ['ink', 'quiet', 'link'].flatMap((name) => [
        [name, 'ground'],
        [name, 'raised'],
      ]);
      for (const [text = '', ground = ''] of [...pairs, ['mark', 'mark-ground']])
        expect(contrast(colours[text] ?? '', colours[ground] ?? ''), `${text} on ${ground}`).toBeGreaterThanOrEqual(
          4.5,
        );
    }
  });
});
