import { describe, expect, it } from 'bun:test';
import { accessRule } from '../../../src/field-types/access-rule.ts';
import { answered, define, violations } from './definitions.ts';

const RULE = define('access_rule');

describe('an access rule', () => {
  it('has its members in one order, each value of a list once', () => {
    const raw = { reason: 'Private', users: [7, 3, 7], level: 'closed', roles: ['editor', 'editor'], from: '' };
    expect(JSON.stringify(answered(raw, RULE))).toBe(
      JSON.stringify([{ level: 'closed', roles: ['editor'], users: [3, 7], reason: 'Private' }]),
    );
  });

  it.each([
    [{ level: 'closed', from: '2027-05-01', until: '2027-05-01' }],
    [{ level: 'closed', until: '2027-02-29' }],
    [{ level: 'closed', from: '-0044-03-15' }],
    [{ level: 'closed', roles: 'nobody' }],
    [{ level: 'closed', users: ['1'] }],
    [{ reason: 'No level' }],
  ])('is refused: %j', (raw) => {
    expect(violations(raw, RULE)).not.toEqual([]);
  });

  it.each([[{ level: 'closed', until: '9999-12-31' }], [{ level: 'files_closed', from: '2028-02-29' }]])(
    'is valid: %j',
    (raw) => {
      expect(violations(raw, RULE)).toEqual([]);
    },
  );

  it('lets no users and holders of terms of another repository in', () => {
    const item = { level: 'closed', roles: ['editor'], users: [5], terms: [9] };
    expect(accessRule.portable(item)).toEqual({ level: 'closed', roles: ['editor'] });
  });
});
