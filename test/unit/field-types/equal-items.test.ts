import { describe, expect, it } from 'bun:test';
import { isEqualValue } from '../../../src/field-types/equal-items.ts';
import { builtInTypes } from '../../../src/field-types/registry.ts';
import type { Item } from '../../../src/model/content-model.ts';
import { answered, define, parsed } from './definitions.ts';

const TERM = define('entity_reference', { targetType: 'taxonomy_term' });
const STORED: Item = { target_id: 5, target_type: 'taxonomy_term', target_uuid: 'u5', url: '/taxonomy/term/5' };

describe('isEqualValue', () => {
  it.each<[Item, boolean]>([
    [STORED, true],
    [{ target_id: 5 }, true],
    [{ target_uuid: 'u5' }, true],
    [{ target_id: 6 }, false],
    [{ target_uuid: 'u6' }, false],
    [{ target_id: 5, target_uuid: 'u6' }, false],
  ])('compares a reference with %j', (item, expected) => {
    expect(isEqualValue([STORED], [item], TERM, builtInTypes)).toBe(expected);
    expect(isEqualValue([item], [STORED], TERM, builtInTypes)).toBe(expected);
  });

  it('treats the body of a GET that is sent back as equal', () => {
    expect(isEqualValue([STORED], parsed(STORED as never, TERM), TERM, builtInTypes)).toBe(true);
  });

  it('treats an unchanged dangling reference as equal', () => {
    expect(isEqualValue([{ target_id: 5 }], parsed({ target_id: 5 }, TERM), TERM, builtInTypes)).toBe(true);
  });

  it('distinguishes another order and another number of items', () => {
    const definition = define('string');
    expect(
      isEqualValue([{ value: 'a' }, { value: 'b' }], [{ value: 'b' }, { value: 'a' }], definition, builtInTypes),
    ).toBe(false);
    expect(isEqualValue([{ value: 'a' }], [], definition, builtInTypes)).toBe(false);
    expect(isEqualValue([], [{ value: 'a' }], definition, builtInTypes)).toBe(false);
    expect(isEqualValue([], [], definition, builtInTypes)).toBe(true);
  });

  it('distinguishes another role of the same agent', () => {
    const agent = define('typed_relation', { targetType: 'taxonomy_term' });
    const stored = { ...STORED, rel_type: 'relators:aut' };
    expect(isEqualValue([stored], parsed({ target_id: 5, rel_type: 'relators:aut' }, agent), agent, builtInTypes)).toBe(
      true,
    );
    expect(isEqualValue([stored], parsed({ target_id: 5, rel_type: 'relators:pht' }, agent), agent, builtInTypes)).toBe(
      false,
    );
  });

  it('distinguishes another alternative text, but ignores a size or a missing text', () => {
    const image = define('image', { targetType: 'file' });
    const stored = { target_id: 7, alt: 'a', title: null, width: 1, height: 2, target_uuid: 'u' };
    expect(isEqualValue([stored], [{ target_id: 7 }], image, builtInTypes)).toBe(true);
    expect(isEqualValue([{ target_id: 7 }], [stored], image, builtInTypes)).toBe(true);
    expect(isEqualValue([stored], [{ target_id: 7, alt: 'a', width: 9, height: 9 }], image, builtInTypes)).toBe(true);
    expect(isEqualValue([stored], [{ target_id: 7, alt: '' }], image, builtInTypes)).toBe(false);
  });

  it('compares the source of a text, not its processed form', () => {
    const text = define('text_long');
    const [stored = {}] = answered({ value: 'x', format: 'basic_html' }, text);
    expect(isEqualValue([stored], [{ value: 'x', format: 'basic_html', processed: 'old' }], text, builtInTypes)).toBe(
      true,
    );
    expect(isEqualValue([stored], [{ value: 'x', format: null }], text, builtInTypes)).toBe(false);
  });

  it('treats the same moment in another format as equal', () => {
    const created = define('created');
    const [stored = {}] = answered({ value: 1_552_590_324 }, created);
    expect(isEqualValue([stored], parsed('2019-03-14T14:05:24-05:00', created), created, builtInTypes)).toBe(true);
    expect(isEqualValue([stored], parsed(1_552_590_325, created), created, builtInTypes)).toBe(false);
  });

  it('compares the options of a link in depth', () => {
    const link = define('link');
    const of = (options: Item) => [{ uri: 'http://x.org', title: null, options }];
    expect(isEqualValue(of({ a: [{ b: 1 }], c: 2 }), of({ c: 2, a: [{ b: 1 }] }), link, builtInTypes)).toBe(true);
    expect(isEqualValue(of({ a: [{ b: 1 }] }), of({ a: [{ b: 2 }] }), link, builtInTypes)).toBe(false);
  });

  it('ignores a missing number or language of an alias', () => {
    const path = define('path');
    expect(isEqualValue([{ alias: '/a', pid: 7, langcode: 'en' }], [{ alias: '/a' }], path, builtInTypes)).toBe(true);
    expect(isEqualValue([{ alias: '/a', pid: 7, langcode: 'en' }], [{ alias: '/b' }], path, builtInTypes)).toBe(false);
  });
});
