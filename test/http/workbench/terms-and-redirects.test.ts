import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { fieldDefinitions, formDisplays } from '../../support/workbench/field-definitions.ts';
import { replay, type Sequence, type Step } from '../../support/workbench/sequence.ts';
import { createLoadingSite, type LoadingSite, USERS } from '../../support/workbench/site.ts';
import { startUp } from '../../support/workbench/start-up.ts';
import { noTermByName, termBody, termByName } from '../../support/workbench/terms.ts';

let site: LoadingSite;
beforeAll(async () => {
  site = await createLoadingSite();
});
afterAll(() => site.stop());

describe.each(USERS)('create_terms, run by $name', (profile) => {
  const name = `Rivers (${profile.name}) & "lakes"`;

  it('makes a term and one below it, each after its name was looked for', async () => {
    const post = (json: object): Step => ({
      send: 'POST /taxonomy/term?_format=json',
      json,
      accepts: [201],
      reads: { 'tid[0].value': 'integer', 'vid[0].target_id': '= geo_location', 'name[0].value': 'text' },
      keeps: { tid: 'tid[0].value' },
    });
    const rows: Sequence = [
      startUp(),
      noTermByName('geo_location', name),
      fieldDefinitions('taxonomy_term', 'geo_location'),
      post(
        termBody('geo_location', name, {
          status: [{ value: '1' }],
          field_geo_geolocation: [{ lat: '49.1', lng: '-123.2' }],
          field_authority_link: [{ source: 'geonames', uri: 'http://sws.geonames.org/1/', title: '' }],
        }),
      ),
    ];
    const { tid: above } = await replay(site.run(profile), rows);
    // In a run of its own: what was [] is remembered for as long as one lasts.
    const below: Sequence = [
      startUp(),
      noTermByName('geo_location', `${name} below`),
      fieldDefinitions('taxonomy_term', 'geo_location'),
      termByName('geo_location', name, 'above'),
      post(
        termBody('geo_location', `${name} below`, {
          parent: [{ target_type: 'taxonomy_term', target_id: '{above}' }],
          weight: [{ value: '2' }],
          description: [{ value: '<i>Below</i>', format: 'basic_html' }],
          field_geo_broader: [{ target_id: '{above}', target_type: 'taxonomy_term' }],
        }),
      ),
    ];
    const { tid } = await replay(site.run(profile), below);
    const term = await site.look(`/taxonomy/term/${tid}?_format=json`);
    expect(term).toMatchObject({
      parent: [{ target_id: above }],
      weight: [{ value: 2 }],
      description: [{ value: '<i>Below</i>' }],
      field_geo_broader: [{ target_id: above }],
    });
    expect(await site.look(`/taxonomy/term/${above}?_format=json`)).toMatchObject({
      parent: [{ target_id: null }],
      status: [{ value: true }],
      field_geo_geolocation: [{ lat: 49.1, lng: -123.2 }],
      field_authority_link: [{ source: 'geonames', uri: 'http://sws.geonames.org/1/' }],
    });
  });

  it('with --check reads the fields of the vocabulary, or that it has none', async () => {
    const check: Sequence = [
      startUp(),
      formDisplays('taxonomy_term', 'geo_location'),
      fieldDefinitions('taxonomy_term', 'geo_location'),
      fieldDefinitions('taxonomy_term', 'tags'),
    ];
    const known = await replay(site.run(profile), check);
    expect(known['fields of tags']).toEqual(new Map());
    await expect(replay(site.run(profile), [fieldDefinitions('taxonomy_term', 'nothing')])).rejects.toThrow('404');
  });
});

describe.each(USERS)('update_terms, run by $name', (profile) => {
  it('finds a term by its name, and changes it', async () => {
    const name = `Changing (${profile.name})`;
    const made = await site.term('person', name, { field_alternate_name: [{ value: 'Other' }] });
    const above = await site.term('person', `Above ${name}`);
    const row: Sequence = [
      startUp(),
      fieldDefinitions('taxonomy_term', 'person'),
      termByName('person', name, 'tid'),
      {
        send: 'GET /taxonomy/term/{tid}?_format=json',
        accepts: [200],
        reads: {
          'tid[0].value': '= {tid}',
          'vid[0].target_id': '= person',
          'name[0].value': 'text',
          parent: 'list',
          weight: 'list',
          description: 'list',
          field_alternate_name: 'list',
          field_cat_date_begin: 'list',
          field_authority_link: 'list',
        },
        keeps: { names: 'field_alternate_name' },
      },
      termByName('person', `Above ${name}`, 'above'),
      {
        send: 'PATCH /taxonomy/term/{tid}?_format=json',
        json: ({ names }) => ({
          vid: [{ target_id: 'person', target_type: 'taxonomy_vocabulary' }],
          name: [{ value: `${name}, changed` }],
          parent: [{ target_id: '#{above}' }],
          weight: [{ value: '3' }],
          description: [{ value: 'Described' }],
          status: [{ value: '1' }],
          field_alternate_name: [...(names as object[]), { value: 'Another' }],
          field_cat_date_begin: [{ value: '1901' }],
        }),
        accepts: [200],
      },
    ];
    await replay(site.run(profile), row);
    expect(await site.look(`/taxonomy/term/${made}?_format=json`)).toMatchObject({
      name: [{ value: `${name}, changed` }],
      parent: [{ target_id: above }],
      weight: [{ value: 3 }],
      description: [{ value: 'Described' }],
      field_alternate_name: [{ value: 'Other' }, { value: 'Another' }],
      field_cat_date_begin: [{ value: '1901' }],
    });
    const check = [startUp(), formDisplays('taxonomy_term', 'person'), fieldDefinitions('taxonomy_term', 'person')];
    await replay(site.run(profile), check);
  });
});

describe.each(USERS)('create_redirects, run by $name', (profile) => {
  const head = (path: string, ...accepts: number[]): Step => ({
    send: `HEAD ${path}`,
    accepts,
    followsRedirects: false,
  });
  const redirect = (path: string, uri: string, ...accepts: number[]): Step => ({
    send: 'POST /entity/redirect?_format=json',
    json: {
      type: [{ value: 'redirect' }],
      redirect_source: [{ path }],
      redirect_redirect: [{ uri }],
      status_code: [{ value: 301 }],
    },
    accepts,
  });
  // Other sites require their own permission.
  const [made, leads] = profile.user === 'admin' ? [201, 301] : [403, 404];

  it('leads an old path to a node, and another to elsewhere with the permission', async () => {
    const nid = await site.item(profile);
    const old = `old/${crypto.randomUUID()}`;
    const away = `away/${crypto.randomUUID()}`;
    const rows: Sequence = [
      startUp(),
      head(`/${old}`, 404),
      redirect(old, 'internal:/node/{nid}', 201),
      head(`/${away}`, 404),
      redirect(away, 'https://example.org/a?b=c', made),
    ];
    await replay(site.run(profile), rows, { nid });
    const again = site.run(profile);
    const free = `free/${crypto.randomUUID()}`;
    const check: Sequence = [
      startUp(),
      formDisplays('node', 'islandora_object'),
      head('/entity/redirect?_format=json', 405),
      ...[`/${old}`, `/${old}`].map(
        (path): Step => ({
          ...head(path, 301),
          check(_json, { headers }) {
            if (headers.get('location') !== `${site.repository.url}/node/${nid}`)
              throw new Error(`Location is ${headers.get('location')}`);
          },
        }),
      ),
      head(`/${away}`, leads),
      head(`/${free}`, 404),
      head(`/${free}`, 404),
      // The redirect leads to the node.
      { send: `GET /${old}?_format=json`, accepts: [200], reads: { 'nid[0].value': '= {nid}' } },
    ];
    await replay(again, check, { nid });
  });
});
