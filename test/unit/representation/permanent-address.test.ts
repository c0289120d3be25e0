import { describe, expect, it } from 'bun:test';
import { permanentAddress } from '../../../src/representation/signpost-addresses.ts';

describe('the permanent address of an identifier', () => {
  it.each([
    ['10.1234/abc', 'https://doi.org/10.1234/abc'],
    [' doi:10.1234/abc ', 'https://doi.org/10.1234/abc'],
    ['DOI: 10.1000.10/a/b', 'https://doi.org/10.1000.10/a/b'],
    ['10.1002/(SICI)1097?x#y%z', 'https://doi.org/10.1002/(SICI)1097%3Fx%23y%25z'],
    ['hdl:2027/mdp.39015', 'https://hdl.handle.net/2027/mdp.39015'],
    ['hdl:20.500.12345/1', 'https://hdl.handle.net/20.500.12345/1'],
    ['ark:/12148/btv1b8449691v/f29', 'https://n2t.net/ark:/12148/btv1b8449691v/f29'],
    ['ark:12148/btv1b8449691v', 'https://n2t.net/ark:/12148/btv1b8449691v'],
    ['https://doi.org/10.1234/abc', 'https://doi.org/10.1234/abc'],
    ['http://hdl.handle.net/1/2', 'http://hdl.handle.net/1/2'],
  ])('of %s is %s', (identifier, address) => {
    expect(permanentAddress(identifier)).toBe(address);
  });

  it.each([
    ...[
      '',
      'AA-1',
      '10.1234',
      '10.1/x',
      'doi:abc',
      '10.1234/a b',
      'hdl:abc/1',
      'ark:/12/x',
      'ark:/12345',
      '2027/mdp.39015',
    ],
    ...['javascript:alert(1)', 'https://', 'http://[', 'see https://a.example', 'https://a.example/ and more'],
    ...['ftp://a.example/x', 'urn:nbn:de:1', 'data:text/html,x', 'http:\\\\a.example', 'https://a.example/\u0000'],
  ])('is undefined for %j', (identifier) => {
    expect(permanentAddress(identifier)).toBeUndefined();
  });
});
