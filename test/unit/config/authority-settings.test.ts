import { describe, expect, it } from 'bun:test';
import { parseYamlText } from '../../../src/base/yaml-file.ts';
import { configFrom } from '../../../src/config/load-server-config.ts';

const read = (text: string) => configFrom(parseYamlText('repository.yaml', text, () => undefined)).authorities;

describe('the services of authority files in a configuration', () => {
  it('are none without an entry', () => {
    expect(read('{}')).toEqual({ services: [], timeoutSeconds: 5, geonamesUser: undefined, addresses: {} });
  });

  it('are read with their time limit and other addresses', () => {
    const text =
      'authorities: { services: [gnd, geonames], timeout: 2s, geonamesUser: a, addresses: { gnd: "http://proxy/x" } }';
    expect(read(text)).toEqual({
      ...{ services: ['gnd', 'geonames'], timeoutSeconds: 2, geonamesUser: 'a', addresses: { gnd: 'http://proxy/x' } },
    });
  });

  it.each([
    ['services: [gdn]', 'one of loc, gnd, viaf, wikidata, geonames'],
    ['timeout: 5m', 'from 1 s to 60 s'],
    ['addresses: { gdn: "http://proxy" }', 'did you mean gnd?'],
    ['addresses: { gnd: "file:///etc" }', 'must be an http or https address'],
    ['addresses: { gnd: 3 }', 'must be an http or https address'],
  ])('are refused with %s', (entry, message) => {
    expect(() => read(`authorities: { ${entry} }`)).toThrow(message);
  });
});
