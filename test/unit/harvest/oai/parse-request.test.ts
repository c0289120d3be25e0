import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { OaiError } from '../../../../src/harvest/oai/oai-document.ts';
import { parseRequest, setSpecOf } from '../../../../src/harvest/oai/parse-request.ts';

const parse = (query: string) => parseRequest([...new URLSearchParams(query)]);
const DAY = 86_400;

describe('a request', () => {
  it('for a list has a period in seconds, inclusive, and the node of its set', () => {
    expect(parse('verb=ListRecords&metadataPrefix=mods&from=2025-01-01&until=2025-01-01&set=node:12')).toEqual({
      verb: 'ListRecords',
      selection: { metadataPrefix: 'mods', from: 1_735_689_600, until: 1_735_689_600 + DAY - 1, set: 12 },
    });
    expect(parse('verb=ListIdentifiers&metadataPrefix=mods&from=2025-01-01T00:00:01Z')).toEqual({
      verb: 'ListIdentifiers',
      selection: { metadataPrefix: 'mods', from: 1_735_689_601, until: undefined, set: undefined },
    });
  });

  it('accepts its arguments in any order', () => {
    expect(parse('metadataPrefix=oai_dc&identifier=oai:a:node-1&verb=GetRecord')).toEqual({
      verb: 'GetRecord',
      identifier: 'oai:a:node-1',
      metadataPrefix: 'oai_dc',
    });
  });

  it('reports the invalid argument and its expected form', () => {
    expect(() => parse('verb=ListRecords&metadataPrefix=oai_dc&from=2025')).toThrow(
      'The argument from must be a day such as 2026-11-23 or a time such as 2026-11-23T17:05:00Z, found "2025".',
    );
    expect(() => parse('verb=GetRecord')).toThrow(
      'GetRecord requires the argument identifier and the argument metadataPrefix.',
    );
    expect(() => parse('verb=Identify&x=1')).toThrow('Identify has no argument "x".');
  });

  it('accepts every setSpec that the repository generates', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999_999_999_999_999 }), (nid) => {
        const parsed = parse(`verb=ListRecords&metadataPrefix=oai_dc&set=${setSpecOf(nid)}`);
        return 'selection' in parsed && parsed.selection.set === nid;
      }),
    );
  });

  it('with any text is parsed, or fails with an OAI-PMH error', () => {
    const name = fc.oneof(
      fc.constantFrom('verb', 'identifier', 'metadataPrefix', 'from', 'until', 'set', 'resumptionToken'),
      fc.string({ unit: 'binary' }),
    );
    const value = fc.oneof(
      fc.constantFrom(
        'Identify',
        'ListSets',
        'ListRecords',
        'GetRecord',
        'oai_dc',
        '2025-01-01',
        'node:1',
        '__proto__',
      ),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value), { maxLength: 8 }), (parameters) => {
        try {
          return parseRequest(parameters).verb.length > 0;
        } catch (error) {
          return error instanceof OaiError && (error.code === 'badVerb' || error.code === 'badArgument');
        }
      }),
    );
  });
});
