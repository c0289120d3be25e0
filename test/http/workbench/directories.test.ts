import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { fieldDefinitions, formDisplays } from '../../support/workbench/field-definitions.ts';
import { newMedia } from '../../support/workbench/media.ts';
import { type Facts, replay, type Sequence, type Step } from '../../support/workbench/sequence.ts';
import { bytesFor, createLoadingSite, defaultTerms, type LoadingSite, USERS } from '../../support/workbench/site.ts';
import { startUp } from '../../support/workbench/start-up.ts';
import { termByUri } from '../../support/workbench/terms.ts';

const IMAGE = 'http://purl.org/coar/resource_type/c_c513';

let site: LoadingSite;
let terms: Facts;
beforeAll(async () => {
  site = await createLoadingSite();
  terms = await defaultTerms(site.repository);
});
afterAll(() => site.stop());

const TYPE = [{ target_id: 'islandora_object', target_type: 'node_type' }];

/** A page of a directory: of its answer only the address is read, and that is asked. */
function page(number: number): Step[] {
  return [
    {
      send: 'POST /node?_format=json',
      json: {
        type: TYPE,
        title: [{ value: `A book, page ${number}` }],
        status: [{ value: '1' }],
        field_model: [{ target_id: '{page}', target_type: 'taxonomy_term' }],
        field_member_of: [{ target_id: '#{book}', target_type: 'node' }],
        field_weight: [{ value: String(number) }],
      },
      accepts: [201],
      check(_json, { headers }, facts) {
        const location = headers.get('location');
        if (location === null) throw new Error("KeyError 'Location'");
        facts.location = location;
      },
    },
    {
      send: 'GET {location}?_format=json',
      accepts: [200],
      reads: { 'nid[0].value': 'integer' },
      keeps: { nid: 'nid[0].value' },
    },
  ];
}

async function book(): Promise<Sequence> {
  const numbers = [10, 2, 1];
  const pages = await Promise.all(
    numbers.map(async (number) => [
      ...page(number),
      newMedia({
        node: 'nid',
        type: 'image',
        file: `book/isl-${number}.png`,
        bytes: await bytesFor(`isl-${number}.png`),
      }),
    ]),
  );
  return [
    startUp(),
    fieldDefinitions('node', 'islandora_object'),
    {
      send: 'POST /node?_format=json',
      json: {
        type: TYPE,
        title: [{ value: 'A book' }],
        field_model: [{ target_id: '{paged}', target_type: 'taxonomy_term' }],
      },
      accepts: [201],
      reads: { 'nid[0].value': 'integer' },
      keeps: { book: 'nid[0].value' },
    },
    ...pages.flat(),
  ];
}

describe.each(USERS)('create with paged_content_from_directories, run by $name', (profile) => {
  it('creates a book and its pages at the returned addresses', async () => {
    const known = await replay(site.run(profile), await book(), terms);
    const members = await site.look(`/node/${known.book}/members?_format=json`);
    const titles = members.map(({ title }: { title: { value: string }[] }) => title[0]?.value);
    expect(titles).toEqual(['A book, page 1', 'A book, page 2', 'A book, page 10']);
    for (const { nid } of members) expect(await site.look(`/node/${nid[0].value}/media?_format=json`)).toHaveLength(1);
  });

  it('creates a node from a file with create_from_files', async () => {
    const rows: Sequence = [
      startUp(),
      formDisplays('node', 'islandora_object'),
      termByUri(IMAGE, 'model'),
      {
        send: 'POST /node?_format=json',
        json: {
          type: TYPE,
          title: [{ value: 'Named by its file' }],
          field_model: [{ target_id: '#{model}', target_type: 'taxonomy_term' }],
        },
        accepts: [201],
        reads: { 'nid[0].value': 'integer' },
        keeps: { nid: 'nid[0].value' },
      },
      newMedia({ node: 'nid', type: 'image', file: 'Named by its file.png', bytes: await bytesFor('a.png') }),
    ];
    const { nid } = await replay(site.run(profile), rows, terms);
    expect(await site.look(`/node/${nid}/media?_format=json`)).toHaveLength(1);
    await replay(site.run(profile), [startUp()]);
  });
});

describe('the address of a new node', () => {
  it.each(['archive.example.org:8080', 'archive.example.org', '127.0.0.1:1'])(
    'has the host of the request: %s',
    async (host) => {
      const response = await site.repository.post(
        '/node?_format=json',
        { type: TYPE, title: [{ value: 'x' }], field_model: [{ target_id: terms.page }] },
        'loader',
        { Host: host },
      );
      const location = response.headers.get('location');
      expect(response.status).toBe(201);
      expect(location).toMatch(/\/node\/\d+$/);
      expect(location).toStartWith(`http://${host}/`);
    },
  );
});
