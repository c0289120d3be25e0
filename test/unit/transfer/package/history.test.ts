import { expect, it } from 'bun:test';
import { referredIn } from '../../../../src/transfer/package/history.ts';

it('the references of a document ignore types that are names of JavaScript', () => {
  const references = ['constructor', '__proto__', 'toString', 'node'].map((target_type) => ({
    target_type,
    target_id: 7,
  }));
  const { node, taxonomy_term } = referredIn({ field_member_of: references });
  expect([...node]).toEqual([7]);
  expect([...taxonomy_term]).toEqual([]);
});
