import { describe, expect, it } from 'bun:test';
import { rightsIn } from '../../../../src/iiif/presentation/item-facts.ts';

describe('the rights of a manifest', () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ['https://creativecommons.org/licenses/by-nc-sa/4.0/', 'http://creativecommons.org/licenses/by-nc-sa/4.0/'],
    ['CC BY: http://www.creativecommons.org/licenses/by/2.5/ca/', 'http://creativecommons.org/licenses/by/2.5/ca/'],
    ['https://creativecommons.org/licenses/by/4.0/deed.de', 'http://creativecommons.org/licenses/by/4.0/'],
    ['(https://creativecommons.org/publicdomain/zero/1.0).', 'http://creativecommons.org/publicdomain/zero/1.0/'],
    ['http://rightsstatements.org/vocab/InC/1.0/', 'http://rightsstatements.org/vocab/InC/1.0/'],
    ['https://rightsstatements.org/page/NoC-US/1.0/?language=en', 'http://rightsstatements.org/vocab/NoC-US/1.0/'],
    ['All rights reserved', undefined],
    ['https://example.org/rightsstatements.org/vocab/InC/1.0/', undefined],
    ['https://creativecommons.org.example.org/licenses/by/4.0/', undefined],
  ];
  for (const [text, uri] of cases)
    it(`are ${uri} for ${text}`, () => {
      expect(rightsIn([text])).toBe(uri);
    });

  it('are the first recognised ones', () => {
    expect(rightsIn(['x', 'http://rightsstatements.org/vocab/CNE/1.0/', cases[0]?.[0] ?? ''])).toBe(
      'http://rightsstatements.org/vocab/CNE/1.0/',
    );
  });
});
