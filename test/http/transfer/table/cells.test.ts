import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createTableSite, type TableSite } from '../../../support/table-site.ts';
import { createTestRepository, type TestRepository } from '../../../support/test-repository.ts';

const MODEL = `
node_types:
  islandora_object:
    fields:
      field_flag: { label: Flag, type: boolean }
      field_price: { label: Price, type: decimal }
      field_length: { label: Length, type: float }
      field_colour: { label: Colour, type: list_string, cardinality: unlimited, allowed_values: { red: Red, green: Green } }
      field_note_of: { label: Note, type: textfield_attr, cardinality: unlimited }
      field_of_media: { label: Media, type: entity_reference, target_type: media }
      field_site: { label: Site, type: link, cardinality: unlimited }
      field_authority: { label: Authority, type: authority_link, cardinality: unlimited, authority_sources: [viaf, other] }
      field_reader: { label: Reader, type: entity_reference, target_type: user }
`;

let repository: TestRepository;
let site: TableSite;

beforeAll(async () => {
  repository = await createTestRepository({}, { model: MODEL });
  site = await createTableSite(repository);
}, 30_000);

afterAll(async () => {
  await site.remove();
  await repository.stop();
});

const items = async (field: string, text: string, options = {}) =>
  (await site.cell(field, text, options)).map(({ item }) => item);

describe('a cell', () => {
  it('contains values separated by the subdelimiter', async () => {
    expect(await items('field_local_identifier', 'a|b||c')).toEqual([{ value: 'a' }, { value: 'b' }, { value: 'c' }]);
    expect(await items('field_local_identifier', 'a|b;c', { subdelimiter: ';' })).toEqual([
      { value: 'a|b' },
      { value: 'c' },
    ]);
  });

  it('contains text unchanged', async () => {
    expect(await items('field_description', ' two\r\nlines ')).toEqual([{ value: ' two\r\nlines ' }]);
  });

  it('contains text in the requested format', async () => {
    expect(await items('field_abstract', '<b>x</b>')).toEqual([{ value: '<b>x</b>', format: null }]);
    expect(await items('field_abstract', '<b>x</b>', { textFormat: 'basic_html' })).toEqual([
      { value: '<b>x</b>', format: 'basic_html' },
    ]);
    expect(await site.refusal('field_abstract', 'x', { textFormat: 'basic' })).toContain('Unknown text format "basic"');
  });

  it('contains numbers, booleans and list values', async () => {
    expect(await items('field_weight', ' 12 ')).toEqual([{ value: 12 }]);
    expect(await items('field_price', '1.50')).toEqual([{ value: '1.50' }]);
    expect(await items('field_length', '1.5')).toEqual([{ value: 1.5 }]);
    expect(await items('field_flag', '1')).toEqual([{ value: true }]);
    expect(await items('field_flag', 'FALSE')).toEqual([{ value: false }]);
    expect(await items('field_colour', 'red | green')).toEqual([{ value: 'red' }, { value: 'green' }]);
  });

  it('contains links, authority links and coordinates', async () => {
    expect(await items('field_site', 'https://example.com%%Our site|https://example.org')).toEqual([
      { uri: 'https://example.com', title: 'Our site', options: [] },
      { uri: 'https://example.org', title: null, options: [] },
    ]);
    expect(await items('field_authority', 'viaf%%http://viaf.org/viaf/10646807%%VIAF Record')).toEqual([
      { uri: 'http://viaf.org/viaf/10646807', title: 'VIAF Record', options: [], source: 'viaf' },
    ]);
    expect(await items('field_coordinates', '49.1,-123.2|\\+49.5 , \\+3')).toEqual([
      { lat: 49.1, lng: -123.2, data: [] },
      { lat: 49.5, lng: 3, data: [] },
    ]);
    expect(await items('field_note_of', '[{"attr0":"a","value":"x|y"}]')).toEqual([
      { attr0: 'a', attr1: null, value: 'x|y' },
    ]);
  });

  it('contains dates in EDTF', async () => {
    expect(await items('field_edtf_date_issued', '1999-12~|[1900..1910]')).toEqual([
      { value: '1999-12~' },
      { value: '[1900..1910]' },
    ]);
  });

  it('contains users by name or id', async () => {
    const id = await repository.user('Jane');
    expect(await items('field_reader', 'jane')).toEqual([{ target_id: id }]);
    expect(await items('field_reader', String(id))).toEqual([{ target_id: id }]);
    expect(await site.refusal('field_reader', 'Joan')).toContain('Unknown user "Joan"');
  });

  it('contains nodes by id or alias', async () => {
    const node = await repository.node({ path: [{ alias: '/collections/maps' }] });
    const nid = node.nid[0].value;
    expect(await items('field_member_of', `${nid}|/collections/maps`)).toEqual([
      { target_id: nid },
      { target_id: nid },
    ]);
    expect(await site.refusal('field_member_of', '999999')).toContain('There is no node with id 999999.');
    expect(await site.refusal('field_member_of', '/collections/globes')).toContain(
      'Unknown node "/collections/globes"',
    );
    expect(await site.refusal('field_member_of', 'Maps')).toContain('Write the id or alias of a node');
  });
});

describe('an invalid cell', () => {
  const cases: [field: string, text: string, message: string][] = [
    ['field_weight', 'twelve', '"twelve": This is not a whole number.'],
    ['field_weight', '12|13', 'this field cannot hold more than 1 values. The text between values is "|"'],
    ['field_flag', 'yes', '"yes": This is not 1 or 0, nor true or false.'],
    ['field_price', '1,5', '"1,5": This is not a number.'],
    ['field_colour', 'red|gren', 'Value 2: "gren": Unknown value. Did you mean green?'],
    ['field_colour', 'ultramarine', 'It must be red or green.'],
    ['field_edtf_date_issued', '2001|1999-13', 'Value 2: 1999-13 is not valid EDTF'],
    ['field_local_identifier', 'x'.repeat(256), 'may not be longer than 255 characters'],
    ['field_coordinates', '49.1', '"49.1" is not of the form latitude,longitude'],
    ['field_site', 'example.com', '"example.com": The path \'example.com\' is invalid.'],
    ['field_authority', 'http://viaf.org/1', 'is not of the form source%%address%%title; the sources are viaf, other.'],
    ['field_authority', 'vaif%%http://viaf.org/1', 'Unknown value. Did you mean viaf?'],
    ['field_note_of', 'a note', '"a note" is not valid JSON'],
    ['field_of_media', '77', 'There is no media with id 77.'],
    ['field_of_media', 'scan.tif', 'Unknown media "scan.tif". Write the id of a media.'],
  ];
  for (const [field, text, message] of cases)
    it(`is reported with column and value: ${field} ${text.slice(0, 20)}`, async () => {
      const refusal = await site.refusal(field, text);
      expect(refusal).toStartWith(`1 ${field}: `);
      expect(refusal).toContain(message);
    });

  it('is reported with the other problems of its row', async () => {
    const problems = await site.problems(
      `id,title,field_model,field_weight,created,langcode,field_edtf_date_issued\n,${'t'.repeat(256)},,x,yesterday,fr,1999-13\n`,
    );
    expect(problems.map((each) => each.split(':')[0]).sort()).toEqual([
      '1 created',
      '1 field_edtf_date_issued',
      '1 field_model',
      '1 field_weight',
      '1 id',
      '1 langcode',
      '1 title',
    ]);
    expect(problems.join('\n')).toContain('1 field_model: A value is required ("Model").');
  });
});
