import { describe, expect, it } from 'bun:test';
import { completeItems, validateField } from '../../../src/field-types/validate-field.ts';
import { CONTEXT, define } from './definitions.ts';

describe('validateField', () => {
  it('reports an empty required field', () => {
    const title = define('string', { name: 'title', required: true });
    expect(validateField([], title, CONTEXT)).toEqual([{ path: 'title', message: 'This value should not be null.' }]);
    expect(validateField([{ value: 'a' }], title, CONTEXT)).toEqual([]);
    expect(validateField([], define('string'), CONTEXT)).toEqual([]);
  });

  it('reports too many items after the problems of the allowed ones', () => {
    const title = define('string', { name: 'title', label: 'Title', cardinality: 1, maxLength: 1 });
    expect(validateField([{ value: 'ab' }, { value: 'cd' }], title, CONTEXT)).toEqual([
      { path: 'title.0.value', message: 'Title: may not be longer than 1 characters.' },
      { path: 'title', message: 'Title: this field cannot hold more than 1 values.' },
    ]);
  });

  it('reports every item with its index', () => {
    const items = [{ value: 'en' }, { value: 'xx' }, { value: {} }];
    expect(validateField(items, define('language'), CONTEXT)).toEqual([
      { path: 'field_x.1', message: 'The value you selected is not a valid choice.' },
      { path: 'field_x.2.value', message: 'This value should be of the correct primitive type.' },
    ]);
  });

  it('stops after a hundred problems', () => {
    const items = Array.from({ length: 100_000 }, () => ({ value: 'x' }));
    expect(validateField(items, define('integer'), CONTEXT)).toHaveLength(100);
  });
});

it('completeItems completes every item', () => {
  expect(completeItems([{ value: 'a' }, { value: 'b', format: 'plain_text' }], define('text_long'), CONTEXT)).toEqual([
    { value: 'a', format: null, processed: '<null>a' },
    { value: 'b', format: 'plain_text', processed: '<plain_text>b' },
  ]);
});
