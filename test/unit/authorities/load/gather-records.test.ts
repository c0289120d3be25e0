import { describe, expect, it } from 'bun:test';
import type { AuthorityRecord } from '../../../../src/authorities/authority-record.ts';
import type { Fact } from '../../../../src/authorities/load/facts.ts';
import { type Leftover, RecordGatherer } from '../../../../src/authorities/load/gather-records.ts';

const URI = 'http://id.loc.gov/authorities/names/n1';

/** Gives statements to a gatherer that keeps few subjects open. Returns what it gives to its sink. */
function gather(statements: readonly (readonly [subject: string, ...Fact])[], maxOpen = 3) {
  const records: AuthorityRecord[] = [];
  const leftovers: Leftover[] = [];
  const sink = {
    record: (each: AuthorityRecord) => void records.push(each),
    leftover: (each: Leftover) => void leftovers.push(each),
  };
  const gatherer = new RecordGatherer({ kind: undefined, language: 'en' }, sink, maxOpen);
  for (const [subject, ...fact] of statements) gatherer.add(subject, fact);
  gatherer.end();
  return { records, leftovers };
}

const others = (count: number) =>
  Array.from({ length: count }, (_, index) => [`http://a/${index}`, 'pref', `Other ${index}`, ''] as const);

describe('the gathering of records', () => {
  it.each([
    [
      'before',
      [
        ['_:1', 'literal', 'Variant', ''],
        [URI, 'node:variant', '_:1', ''],
        [URI, 'pref', 'Name', 'en'],
      ],
    ],
    [
      'behind',
      [
        [URI, 'pref', 'Name', 'en'],
        [URI, 'node:variant', '_:1', ''],
        ['_:1', 'literal', 'Variant', ''],
      ],
    ],
  ] as const)('takes the nodes of a record that stand %s it', (_, statements) => {
    const { records, leftovers } = gather([...statements, ...others(9)]);
    expect(records.find(({ uri }) => uri === URI)).toMatchObject({ label: 'Name', variants: [['Variant', '']] });
    expect(records.length).toBe(10);
    expect(leftovers).toEqual([]);
  });

  it('leaves statements that come later to the end, and nodes that are not there', () => {
    const { records, leftovers } = gather([
      ...([
        [URI, 'pref', 'Name', 'en'],
        [URI, 'node:variant', '_:1', ''],
      ] as const),
      ...others(9),
      ...([
        ['_:1', 'literal', 'Variant', ''],
        [URI, 'variant', 'Late', ''],
      ] as const),
    ]);
    expect(records.find(({ uri }) => uri === URI)?.variants).toEqual([]);
    expect(leftovers).toEqual([
      { subject: URI, facts: [['node:variant', '_:1', '']] },
      { subject: '_:1', facts: [['literal', 'Variant', '']] },
      { subject: URI, facts: [['variant', 'Late', '']] },
    ]);
  });

  it('follows nodes of nodes, such as the biography of an agent, and ends in a circle of them', () => {
    const { records } = gather(
      [
        [URI, 'pref', 'Name', ''],
        [URI, 'node:facts', 'http://a/agent', ''],
        ['http://a/agent', 'node:facts', '_:bio', ''],
        ['_:bio', 'begin', '1606', ''],
        ['_:bio', 'node:facts', 'http://a/agent', ''],
      ],
      10,
    );
    expect(records).toMatchObject([{ dateBegin: '1606' }]);
  });

  it('makes no record of a list, of a record that is withdrawn, or without a preferred name', () => {
    const { records } = gather([
      ['http://a/list', 'skipped', '', ''],
      ['http://a/list', 'pref', 'The list', ''],
      ['http://a/1', 'variant', 'Only another name', ''],
      ['_:2', 'pref', 'A blank node', ''],
    ]);
    expect(records).toEqual([]);
  });
});
