import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { LiveAuthorities } from '../../../src/authorities/live/live-authorities.ts';
import { DEFAULT_SERVER_CONFIG } from '../../../src/config/server-config.ts';
import { loadNames } from '../../support/authority-list.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

/** Answers in the structures that the services document, written for this test: they were not recorded. */
const ANSWERS: Readonly<Record<string, object>> = {
  '/loc/authorities/names/suggest2': {
    ...{ q: 'twain', count: 1, pagesize: 10, start: 1, sortmethod: 'rank', searchtype: 'keyword' },
    hits: [
      {
        suggestLabel: 'Twain, Mark, 1835-1910',
        uri: 'http://id.loc.gov/authorities/names/n79021164',
        aLabel: 'Twain, Mark, 1835-1910',
        vLabel: '',
        code: '',
        more: {
          rdftypes: ['PersonalName', 'Authority'],
          variantLabels: ['Clemens, Samuel Langhorne, 1835-1910'],
          birthdates: ['(edtf) 1835-11-30'],
        },
      },
    ],
  },
  '/gnd/gnd/search': {
    totalItems: 1,
    member: [
      {
        id: 'https://d-nb.info/gnd/118624822',
        gndIdentifier: '118624822',
        type: ['DifferentiatedPerson', 'AuthorityResource', 'Person'],
        preferredName: 'Twain, Mark',
        variantName: ['Clemens, Samuel Langhorne', 'Tuein, Mark'],
        dateOfBirth: ['1835-11-30'],
        dateOfDeath: ['1910-04-21'],
        biographicalOrHistoricalInformation: ['Amerikan. Schriftsteller'],
      },
    ],
  },
  '/viaf/viaf/AutoSuggest': {
    query: 'twain',
    result: [
      {
        term: 'twain, mark',
        displayForm: 'Twain, Mark, 1835-1910',
        nametype: 'personal',
        viafid: '50566653',
        score: '1',
      },
    ],
  },
  '/wikidata/w/api.php': {
    search: [
      {
        ...{
          id: 'Q7245',
          concepturi: 'http://www.wikidata.org/entity/Q7245',
          label: 'Mark Twain',
          aliases: ['Samuel Clemens'],
        },
        ...{
          description: 'American author and humorist',
          match: { type: 'label', language: 'en', text: 'Mark Twain' },
        },
      },
    ],
  },
  '/geonames/searchJSON': {
    totalResultsCount: 1,
    geonames: [
      {
        geonameId: 4385018,
        name: 'Hannibal',
        toponymName: 'Hannibal',
        adminName1: 'Missouri',
        countryName: 'United States',
        fcl: 'P',
      },
    ],
  },
};

const AGENTS = 'field_linked_agent';
let answer: (request: Request) => Response | Promise<Response>;
let asked: string[] = [];
let innerAsked = 0;
const fake = Bun.serve({
  port: 0,
  fetch: (request) => {
    asked.push(new URL(request.url).pathname);
    return answer(request);
  },
});
/** A server of the network of the repository. */
const inner = Bun.serve({
  port: 0,
  fetch: () => {
    innerAsked += 1;
    return Response.json({ member: [{ id: 'http://inner/1', preferredName: 'Secret', type: ['Person'] }] });
  },
});
const services = ['loc', 'gnd', 'viaf', 'wikidata', 'geonames'] as const;
const addresses = Object.fromEntries(services.map((name) => [name, `${fake.url.origin}/${name}`]));
const settings = { services, timeoutSeconds: 1, geonamesUser: 'library', addresses };

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository({ authorities: settings });
  await repository.user('jane', 'repository_editor');
  await loadNames(repository, ['Lighthouses']);
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
  await Promise.all([fake.stop(true), inner.stop(true)]);
});
beforeEach(() => {
  asked = [];
  answer = ({ url }) => {
    const found = ANSWERS[new URL(url).pathname];
    return found === undefined ? new Response('', { status: 404 }) : Response.json(found);
  };
});

async function complete(field: string, query: Record<string, string>) {
  const path = `/entity/completions/node/islandora_object/${field}?${new URLSearchParams(query)}`;
  const response = await repository.get(path, 'jane');
  expect(response.status).toBe(200);
  return (await response.json()) as {
    authorities: {
      uri: string;
      name: string;
      match: string | null;
      years: string;
      vocabulary: string;
      source: string;
    }[];
    services: { name: string }[];
    notices: string[];
    completions: unknown[];
  };
}

describe('a service on the web', () => {
  it.each([
    ['loc', 'clemens', AGENTS, ['naf', 'Twain, Mark, 1835-1910', 'Clemens, Samuel Langhorne, 1835-1910', 'person']],
    ['gnd', 'clemens', AGENTS, ['gnd', 'Twain, Mark', 'Clemens, Samuel Langhorne', 'person']],
    ['viaf', 'twain', AGENTS, ['viaf', 'Twain, Mark, 1835-1910', null, 'person']],
    ['wikidata', 'samuel', 'field_subjects_name', ['wiki', 'Mark Twain', 'Samuel Clemens', 'corporate_body']],
    ['geonames', 'hannibal', 'field_geographic_subject', ['geonames', 'Hannibal', null, 'geo_location']],
  ])('%s completes a reference with its records', async (service, q, field, expected) => {
    const { authorities, notices, completions } = await complete(field, { q, service });
    expect(authorities.map(({ source, name, match, vocabulary }) => [source, name, match, vocabulary])).toEqual([
      expected,
    ]);
    expect({ notices, completions }).toEqual({ notices: [], completions: [] });
  });

  it('is asked only if a form asks for it, and once for a text', async () => {
    const local = await complete('field_subject', { q: 'light' });
    expect(local.authorities.map(({ name }) => name)).toEqual(['Lighthouses']);
    expect(local.services.map(({ name }) => name)).toEqual(['loc', 'gnd', 'viaf', 'wikidata']);
    expect((await complete('field_member_of', { q: 'light' })).services).toEqual([]);
    expect(asked).toEqual([]);
    for (let time = 0; time < 3; time++) await complete(AGENTS, { q: 'once only', service: 'gnd' });
    expect(asked).toEqual(['/gnd/gnd/search']);
  });

  it('has records that become terms with their URI, dates and other names', async () => {
    const body = { uri: 'https://d-nb.info/gnd/118624822', service: 'gnd', q: 'clemens' };
    const response = await repository.post('/entity/authority_term/person', body, 'jane');
    expect(response.status).toBe(201);
    const { id } = (await response.json()) as { id: number };
    const term = (await (await repository.get(`/taxonomy/term/${id}?_format=json`)).json()) as EntityJson;
    expect(term).toMatchObject({
      name: [{ value: 'Twain, Mark' }],
      field_authority_link: [{ uri: body.uri, source: 'gnd' }],
      field_alternate_name: [{ value: 'Clemens, Samuel Langhorne' }, { value: 'Tuein, Mark' }],
      field_cat_date_begin: [{ value: '1835-11-30' }],
    } as object);
    const other = { ...body, uri: 'https://d-nb.info/gnd/1' };
    expect((await repository.post('/entity/authority_term/person', other, 'jane')).status).toBe(422);
  });

  it('is refused if the configuration does not name it', async () => {
    const { notices } = await complete(AGENTS, { q: 'x', service: 'other' });
    expect(notices).toEqual(['This repository does not ask a service other.']);
    expect(DEFAULT_SERVER_CONFIG.authorities.services).toEqual([]);
  });
});

describe('a service that fails', () => {
  const html = { headers: { 'Content-Type': 'text/html' } };
  it.each([
    ['does not answer', () => new Promise<Response>(() => {}), 'has not answered within 1 s'],
    ['answers 500', () => new Response('', { status: 500 }), 'answered 500'],
    ['answers HTML', () => new Response('<html>Sign in</html>', html), 'did not answer with JSON'],
    [
      'answers broken JSON',
      () => new Response('{"member":', { headers: { 'Content-Type': 'application/json' } }),
      'did not answer with JSON',
    ],
    ['answers without end', () => Response.json({ member: ['x'.repeat(2 * 1024 * 1024)] }), 'answered with too much'],
    [
      'redirects to an inner address',
      () => Response.redirect(`${inner.url.origin}/gnd/search`),
      'redirects to another server',
    ],
    [
      'redirects to a file',
      () => new Response(null, { status: 302, headers: { Location: 'file:///etc/passwd' } }),
      'redirects to another server',
    ],
    ['redirects in a circle', ({ url }: Request) => Response.redirect(url), 'redirects more than 3 times'],
  ])('because it %s has a sentence, and no names', async (_name, fail, reason) => {
    const live = new LiveAuthorities(settings);
    const { vocabularies } = repository.running.services.model;
    const person = vocabularies.get('person');
    answer = fail;
    expect(await live.search('gnd', person ? [person] : [], 'twain')).toEqual({
      ...{ hits: [], notice: `lobid.org (GND) cannot be asked at present: it ${reason}.` },
    });
    expect(innerAsked).toBe(0);
  });

  it('is asked again after half a minute', async () => {
    let now = 1_000_000;
    const live = new LiveAuthorities(settings, () => now);
    const person = [...repository.running.services.model.vocabularies.values()].filter(({ name }) => name === 'person');
    const usual = answer;
    answer = () => new Response('', { status: 503 });
    expect((await live.search('gnd', person, 'twain')).notice).toContain('answered 503');
    answer = usual;
    expect((await live.search('gnd', person, 'twain')).notice).toContain('answered 503');
    expect(asked.length).toBe(1);
    now += 30_001;
    expect((await live.search('gnd', person, 'twain')).hits.length).toBe(1);
  });

  it('leaves the names of this repository as they are', async () => {
    answer = () => new Response('', { status: 500 });
    const { notices } = await complete('field_subject', { q: 'no such text', service: 'gnd' });
    expect(notices).toEqual(['lobid.org (GND) cannot be asked at present: it answered 500.']);
    expect((await complete('field_subject', { q: 'light' })).authorities.map(({ name }) => name)).toEqual([
      'Lighthouses',
    ]);
  });
});
