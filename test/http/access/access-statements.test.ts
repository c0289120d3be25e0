import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { metadata, metadataIn } from '../../support/oai.ts';
import { expectValid } from '../../support/presentation-schema.ts';
import { PNG } from '../../support/repository-routes.ts';
import { type Entity, SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

const COAR = 'http://purl.org/coar/access_right/';
const EU_REPO = 'info:eu-repo/semantics/';
const UNTIL = '2999-05-01';

let repository: TestRepository;
let build: SiteBuilder;

beforeAll(async () => {
  repository = await createTestRepository({ networks: new Map([['campus', ['192.0.2.0/24']]]) });
  build = new SiteBuilder(repository);
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const item = (rule?: object) =>
  build.node('image', 'Thesis', (rule === undefined ? {} : { access_rule: [rule] }) as never);
const text = async (path: string, as?: string) => (await repository.get(path, as)).text();
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined ? [] : [value]);

async function schemaOrgOf(id: number): Promise<Record<string, unknown>> {
  const [, json = ''] =
    /<script type="application\/ld\+json"[^>]*>(.*?)<\/script>/s.exec(
      await (await repository.get(`/node/${id}`, undefined, { Accept: 'text/html' })).text(),
    ) ?? [];
  return JSON.parse(json);
}
async function graphOf(id: number): Promise<Record<string, unknown>> {
  return JSON.parse(await text(`/node/${id}?_format=jsonld`))['@graph'][0];
}

const CASES: [string, object, coar: string, euRepo: string, words: string][] = [
  [
    'an embargo',
    { preset: 'embargo', until: UNTIL },
    'c_f1cf',
    'embargoedAccess',
    `The files are under an embargo. The files are closed until ${UNTIL}.`,
  ],
  ['files for a network', { preset: 'campus_only' }, 'c_16ec', 'restrictedAccess', 'The files are open on campus.'],
  [
    'files on request',
    { preset: 'only_description', contact: 'desk@example.org' },
    'c_16ec',
    'restrictedAccess',
    'The files are closed.',
  ],
  ['files for nobody', { preset: 'only_description' }, 'c_14cb', 'closedAccess', 'The files are closed.'],
];

describe.each(CASES)('%s', (_name, rule, coar, euRepo, words) => {
  const until = 'until' in rule ? UNTIL : undefined;
  let id: number;
  beforeAll(async () => {
    id = await item(rule);
  });

  it('has the terms of COAR and info:eu-repo in Dublin Core', async () => {
    const { 'dc:rights': rights, 'dc:date': dates } = await metadata(repository, id);
    expect(listOf(rights)).toEqual([EU_REPO + euRepo, COAR + coar, words]);
    const end = `info:eu-repo/date/embargoEnd/${until}`;
    expect(listOf(dates).includes(end)).toBe(until !== undefined);
    expect(metadataIn(await text(`/node/${id}?_format=oai_dc`))).toEqual(await metadata(repository, id));
  });

  it('has them in the list of rights of DataCite, and the day of the end as a date', async () => {
    const { rightsList, dates } = await metadata(repository, id, 'datacite');
    const addresses = listOf(rightsList.rights).map((each) => (each as Record<string, string>)['@rightsURI']);
    expect(addresses).toEqual([EU_REPO + euRepo, COAR + coar]);
    const available = listOf(dates?.date).filter(
      (each) => (each as Record<string, string>)['@dateType'] === 'Available',
    );
    expect(available.map((each) => (each as Record<string, string>)['#text'])).toEqual(
      until === undefined ? [] : [until],
    );
  });

  it('has a condition in MODS', async () => {
    const { accessCondition } = await metadata(repository, id, 'mods');
    expect(accessCondition).toEqual({ '#text': words, '@type': 'restriction on access' });
  });

  it('has dcterms:accessRights in JSON-LD, and schema.org in its page', async () => {
    const graph = await graphOf(id);
    expect(graph['http://purl.org/dc/terms/accessRights']).toEqual([{ '@id': COAR + coar }]);
    const day = { '@value': UNTIL, '@type': 'http://www.w3.org/2001/XMLSchema#date' };
    expect(listOf(graph['http://purl.org/dc/terms/available'])).toEqual(until === undefined ? [] : [[day]].flat());
    expect(await schemaOrgOf(id)).toMatchObject({ isAccessibleForFree: false, conditionsOfAccess: words });
  });
});

describe('the manifest of an item whose master is closed', () => {
  it('shows the access copy, and says why and until when', async () => {
    const use = 'http://pcdm.org/use#ServiceFile';
    const rule = { preset: 'embargo', until: UNTIL, open_uses: [use] };
    const id = await item(rule);
    for (const [kind, name] of [
      ['original', 'master'],
      ['service', 'copy'],
    ] as const)
      await build.pictureOf(1, id, { use: kind, uri: `public://${name}.png`, bytes: PNG });
    const response = await repository.get(`/node/${id}/manifest`);
    const manifest = await expectValid((await response.json()) as Entity);
    expect(manifest.requiredStatement).toEqual({
      label: { en: ['Access'] },
      value: { en: ['The files are under an embargo.', `The files are closed until ${UNTIL}.`] },
    });
    expect(JSON.stringify(manifest)).toContain('copy.png');
    expect(JSON.stringify(manifest)).not.toContain('master.png');
    const second = await (await repository.get(`/node/${id}/manifest`, 'admin')).json();
    expect(second.requiredStatement).toEqual(manifest.requiredStatement);
  });

  it('mentions no access for an open item', async () => {
    const id = await item();
    await build.pictureOf(1, id, { use: 'original', uri: 'public://open.png', bytes: PNG });
    expect(await (await repository.get(`/node/${id}/manifest`)).json()).not.toHaveProperty('requiredStatement');
  });
});

describe('content that no rule closes', () => {
  it.each<[string, object | undefined]>([
    ['without a rule', undefined],
    ['with an open rule', { preset: 'open' }],
    ['with a rule that has ended', { preset: 'embargo', until: '2001-01-01' }],
  ])('says nothing of access: %s', async (_name, rule) => {
    const id = await item(rule);
    expect((await metadata(repository, id))['dc:rights']).toBeUndefined();
    expect((await metadata(repository, id, 'datacite')).rightsList).toBeUndefined();
    expect(await text(`/node/${id}?_format=jsonld`)).not.toContain('accessRights');
    expect(await schemaOrgOf(id)).not.toHaveProperty('isAccessibleForFree');
  });
});
