import { describe, expect, it } from 'bun:test';
import { derivativePath, type PathFacts } from '../../../src/jobs/file-path.ts';
import type { DerivativeAction } from '../../../src/jobs/rules.ts';
import { parseUserRules } from './parse-user-rules.ts';

const SOURCE_AND_TERM = '[islandoratokens:media-original-file:filename]-[term:name].jpg';
const FACTS: PathFacts = {
  now: Date.parse('2026-11-30T23:30:00Z') / 1000,
  sourceUri: 'fedora://2026-10/Museum.old.tif',
  termName: 'Service File',
  nodeId: 42,
};
const { actions } = parseUserRules('');
const service = actions.get('image_generate_a_service_file_from_an_original_file') as DerivativeAction;

const uriOf = (path: string, facts: Partial<PathFacts> = {}) =>
  derivativePath({ ...service, path }, { ...FACTS, ...facts });

describe('the path of a derivative', () => {
  it('follows the default rules', () => {
    expect(derivativePath(service, FACTS)).toBe('public://2026-11/Museum.old-Service File.jpg');
    const hocr = actions.get('get_hocr_from_image') as DerivativeAction;
    expect(derivativePath(hocr, { ...FACTS, termName: 'hOCR' })).toBe('public://hocr/2026-11/42-hOCR.hocr');
    const pdf = actions.get('paged_content_created_aggregated_pdf') as DerivativeAction;
    expect(derivativePath(pdf, { ...FACTS, sourceUri: undefined })).toBe('private://derivatives/2026/11/pc/42.pdf');
  });

  it('contains year, month and day in UTC', () => {
    const path = '[date:custom:Y]/[date:custom:m]/[date:custom:d]-[date:custom:d].jpg';
    expect(uriOf(path)).toBe('public://2026/11/30-30.jpg');
    expect(uriOf(path, { now: 0 })).toBe('public://1970/01/01-01.jpg');
  });

  it.each([
    ['public://a b (1).png', 'a b (1)'],
    ['public://x/Gemälde.png', 'Gemälde'],
    ['public://x/Käthe Müller.tif', 'Käthe Müller'],
    ['public://K%C3%A4the%20M%C3%BCller.tif', 'Käthe Müller'],
    ['public://Ka%CC%88the.tif', 'Käthe'],
    ['public://100%.png', '100%'],
    ['public://50%25 of 100%.png', '50% of 100%'],
    ['public://a%2Fb%5Cc%00%0Ad.png', 'a_b_c__d'],
    ['public://%2E%2E.png', '__'],
    ['public://%C3%28 %FF.png', '%C3%28 %FF'],
    ['public://noextension', 'noextension'],
    ['public://a.b/c', 'c'],
    ['public://𝔄&b.png', '𝔄&b'],
  ])('contains the decoded name of the source file without extension: %s', (sourceUri, stem) => {
    expect(uriOf('[islandoratokens:media-original-file:filename].jpg', { sourceUri })).toBe(`public://${stem}.jpg`);
  });

  it.each([
    ['a/b', 'a_b'],
    ['../../etc', '___.._etc'],
    ['..', '__'],
    ['.', '_'],
    ['a\\b', 'a_b'],
    ['a\u0000\n\u0085b', 'a___b'],
    ['', '_'],
    ['[node:nid]', '[node:nid]'],
    ['$& $1', '$& $1'],
    ['Gema\u0308lde', 'Gem\u00e4lde'],
  ])('replaces path separators in the name of a term: %j', (termName, safe) => {
    expect(uriOf('x/[term:name]/y.jpg', { termName })).toBe(`public://x/${safe}/y.jpg`);
  });

  it('fits the maximum length of a URI, and keeps its extension and the term', () => {
    for (const character of ['a', 'ä', '漢', '𝔄']) {
      const sourceUri = `public://${character.repeat(250)}.tif`;
      const uri = uriOf(`[date:custom:Y]/${SOURCE_AND_TERM}`, { sourceUri });
      expect(uri.length).toBeLessThanOrEqual(255);
      expect(uri).toEndWith('-Service File.jpg');
      const name = uri.slice('public://2026/'.length);
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
      const limit = character === 'a' ? 255 - 'public://2026/'.length : 255;
      expect(Buffer.byteLength(name)).toBeGreaterThan(limit - Buffer.byteLength(character));
      // No character of the source's name is cut in two.
      expect(new Set(name.slice(0, -'-Service File.jpg'.length))).toEqual(new Set(character));
    }
  });

  it('shortens a term that is too long', () => {
    const uri = uriOf(SOURCE_AND_TERM, { termName: '𝔄'.repeat(255) });
    expect(uri).toMatch(/^public:\/\/M-𝔄+\.jpg$/u);
    expect(Buffer.byteLength(uri.slice('public://'.length))).toBeWithin(252, 256);
  });

  it('stays short if a token occurs several times', () => {
    const path = '[term:name]/[term:name]/[islandoratokens:media-original-file:filename]-[term:name].jpg';
    const uri = uriOf(path, { termName: 'x'.repeat(255), sourceUri: `public://${'y'.repeat(200)}.png` });
    expect(uri.length).toBeLessThanOrEqual(255);
    expect(uri).toMatch(/^public:\/\/(x+)\/\1\/y-\1\.jpg$/);
  });
});
