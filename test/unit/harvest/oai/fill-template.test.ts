import { describe, expect, it } from 'bun:test';
import { type FactOf, RecordElements } from '../../../../src/harvest/oai/fill-template.ts';
import type { ElementTemplate, HarvestFact, HarvestFormat } from '../../../../src/model/harvest-model.ts';

const value = { fact: 'value', table: undefined } as const;
const uri = { fact: 'uri', table: undefined } as const;
const facts =
  (given: Partial<Record<HarvestFact, string>>): FactOf =>
  (fact) =>
    given[fact] ?? '';

function format(over: Partial<HarvestFormat> = {}): HarvestFormat {
  return {
    ...{ prefix: 'x', element: 'x', namespace: 'urn:x', schema: 'urn:x.xsd', mediaType: 'application/xml' },
    ...{ namespaces: new Map(), attributes: new Map(), merged: new Set(), single: new Set() },
    ...{ byField: new Map(), byPredicate: new Map(), defaults: new Map(), files: [], access: [] },
    ...over,
  };
}

function element(name: string, over: Partial<ElementTemplate> = {}): ElementTemplate {
  return { name, attributes: [], text: [value], children: [], ...over };
}

describe('the elements of a record', () => {
  it('escape markup in attributes and text', () => {
    const elements = new RecordElements(format());
    elements.add(
      element('a', { attributes: [{ name: 'u', text: ['<', uri, '">'] }] }),
      facts({ value: 'x & <y>', uri: 'z' }),
    );
    expect(String(elements)).toBe('<a u="&lt;z&quot;&gt;">x &amp; &lt;y&gt;</a>');
  });

  it('omit empty attributes, empty elements, and text with an empty placeholder', () => {
    const elements = new RecordElements(format());
    elements.add(element('a', { attributes: [{ name: 'u', text: ['v ', uri] }] }), facts({ value: 'x' }));
    elements.add(element('b', { text: ['ISBN ', uri] }), facts({ value: 'x' }));
    elements.add(element('c', { text: [], children: [element('d', { text: [uri] })] }), facts({ value: 'x' }));
    expect(String(elements)).toBe('<a>x</a>');
  });

  it('are listed once, grouped by name', () => {
    const elements = new RecordElements(format());
    for (const each of ['1', '2', '1']) {
      elements.add(element('a'), facts({ value: each }));
      elements.add(element('b'), facts({ value: 'same' }));
    }
    expect(String(elements)).toBe('<a>1</a><a>2</a><b>same</b>');
  });

  it('are merged into one element per set of attributes', () => {
    const elements = new RecordElements(format({ merged: new Set(['o']) }));
    const inside = (name: string) => element('o', { text: [], children: [element(name)] });
    elements.add(inside('p'), facts({ value: '1' }));
    elements.add({ ...inside('q'), attributes: [{ name: 'k', text: ['v'] }] }, facts({ value: '2' }));
    elements.add(inside('r'), facts({ value: '3' }));
    expect(String(elements)).toBe('<o><p>1</p><r>3</r></o><o k="v"><q>2</q></o>');
  });

  it('occur once if single, and have defaults if missing', () => {
    const elements = new RecordElements(
      format({
        single: new Set(['y']),
        defaults: new Map([
          ['y', [element('y', { text: ['never'] })]],
          ['z', [element('z', { text: [{ fact: 'site', table: undefined }] })]],
        ]),
      }),
    );
    elements.add(element('y', { text: [uri] }), facts({ value: 'x' }));
    for (const each of ['1', '2']) elements.add(element('y'), facts({ value: each }));
    elements.complete(facts({ site: 'Here' }));
    expect(String(elements)).toBe('<y>1</y><z>Here</z>');
  });

  it('translate values through a table, with a fallback', () => {
    const table = new Map([
      ['person', 'Personal'],
      ['*', 'Organizational'],
    ]);
    const elements = new RecordElements(format());
    for (const each of ['person', 'family']) {
      const name = { name: 'n', text: [{ fact: 'bundle', table } as const] };
      elements.add(element('a', { attributes: [name] }), facts({ value: each, bundle: each }));
    }
    expect(String(elements)).toBe('<a n="Personal">person</a><a n="Organizational">family</a>');
  });
});
