import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import type { Item } from '../../../../src/model/content-model.ts';
import { define } from '../../../../src/repository/content/base-field.ts';
import { baseText } from '../../../../src/repository/content/document-text.ts';

const member = fc.constantFrom('value', 'format', 'target_id', 'url');
const scalar = fc.constantFrom<Item[string]>(null, true, false, 0, 1, '', '1', 'https://example.org/"quoted"');
const inner = fc.oneof(scalar, fc.array(scalar, { maxLength: 2 }), fc.dictionary(member, scalar, { maxKeys: 2 }));
const items = fc.array(fc.dictionary(member, inner, { noNullPrototype: true, maxKeys: 3 }), { maxLength: 2 });

describe('the text of a base field', () => {
  it('is that of its items, whatever was written before', () => {
    const field = define('status', 'Published', 'boolean');
    fc.assert(
      fc.property(fc.array(items, { minLength: 2, maxLength: 12 }), (writes) => {
        for (const each of writes) expect(baseText(field, each)).toBe(`,"status":${JSON.stringify(each)}`);
      }),
      { numRuns: 500 },
    );
  });

  it('tells apart what differs in nothing but the order of its members', () => {
    const field = define('uid', 'Authored by', 'entity_reference');
    expect(baseText(field, [{ target_id: 1, url: '/user/1' }])).toBe(',"uid":[{"target_id":1,"url":"/user/1"}]');
    expect(baseText(field, [{ url: '/user/1', target_id: 1 }])).toBe(',"uid":[{"url":"/user/1","target_id":1}]');
  });
});
