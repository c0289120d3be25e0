import { describe, expect, it } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseYamlText } from '../../../src/base/yaml-file.ts';
import { configFrom } from '../../../src/config/load-server-config.ts';
import { DARK_PAPERS, LIGHT_PAPERS } from '../../../src/config/site-settings.ts';

const read = (text: string) => configFrom(parseYamlText('repository.yaml', text, () => undefined)).site;

describe('the settings of the site', () => {
  it('are read from the configuration', () => {
    const text = `
site:
  introduction: |
    One.

    Two.
  logo: logo.svg
  accent: "#8A2B4F"
  accentDark: "#F5A"
  footerLinks: { Help: /node/1, Web: "https://example.org/a?b", Mail: "mailto:a@example.org" }
  robots: "User-agent: *"
`;
    expect(read(text)).toEqual({
      introduction: 'One.\n\nTwo.\n',
      logo: 'logo.svg',
      logoDark: undefined,
      menu: [],
      contact: undefined,
      accent: '#8a2b4f',
      accentDark: '#f5a',
      footerLinks: [
        { label: 'Help', href: '/node/1' },
        { label: 'Web', href: 'https://example.org/a?b' },
        { label: 'Mail', href: 'mailto:a@example.org' },
      ],
      robots: 'User-agent: *',
    });
  });

  it.each([
    [
      'accent: "#7cc4e0"',
      /site\.accent must have a contrast of at least 4\.5:1 with the paper #fbfaf7, found "#7cc4e0" with 1\.\d:1; the nearest colour with enough contrast is "#[0-9a-f]{6}"/,
    ],
    [
      'accentDark: "#0b4f6c"',
      /site\.accentDark must have a contrast of at least 4\.5:1 with the dark paper #1d2025, found "#0b4f6c" with 1\.\d:1; the nearest colour with enough contrast is "#[0-9a-f]{6}"/,
    ],
    ['accent: blue', /site\.accent must be a colour such as "#0b4f6c", found "blue"/],
    ['accent: 7', /site\.accent must be a colour/],
    ['introduction: ""', /site\.introduction must be text/],
    ['footerLinks: [a]', /site\.footerLinks must be a map/],
    ['footerLinks: { A: "javascript:alert(1)" }', /site\.footerLinks\.A must be a path of this site/],
    ['footerLinks: { A: "//evil.example" }', /site\.footerLinks\.A must be a path/],
    ['footerLinks: { A: 1 }', /site\.footerLinks\.A must be a path/],
    ['colour: "#fff"', /colour/],
  ])('reject %s', (entry, message) => {
    expect(() => read(`site:\n  ${entry}\n`)).toThrow(message);
  });

  it('accept the colour that their error message suggests', () => {
    for (const [key, colour] of [
      ['accent', '#7cc4e0'],
      ['accentDark', '#0b4f6c'],
    ] as const) {
      let named = '';
      try {
        read(`site: { ${key}: "${colour}" }`);
      } catch (error) {
        named = /is "(#[0-9a-f]{6})"/.exec(String(error))?.[1] ?? '';
      }
      expect(read(`site: { ${key}: "${named}" }`)[key]).toBe(named);
    }
  });
});

it('the paper colours match the style sheet', async () => {
  const style = await readFile(resolve(import.meta.dir, '../../../src/pages/assets/tokens.css'), 'utf8');
  const papers = [...style.matchAll(/--(?:paper|card): (#[0-9a-f]+);/g)].map(([, colour]) =>
    colour === '#fff' ? '#ffffff' : colour,
  );
  expect(papers.slice(0, 4)).toEqual([...LIGHT_PAPERS, ...DARK_PAPERS]);
});
