import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

interface Found {
  readonly total: number;
  readonly facets: readonly { readonly name: string; readonly values: readonly FacetValue[] }[];
}
interface FacetValue {
  readonly value: string;
  readonly label: string;
  readonly count: number;
}

let repository: TestRepository;
let general: number;
const find = async (query: string) => (await repository.get(`/search?_format=json&${query}`)).json() as Promise<Found>;
const valuesOf = ({ facets }: Found, name: string) =>
  (facets.find((each) => each.name === name)?.values ?? []).map(({ label, count }) => [label, count]);

beforeAll(async () => {
  repository = await createTestRepository();
  const build = new SiteBuilder(repository);
  const topic = await build.term('subject', 'Ferries');
  general = await build.term('subject', 'Harbours');
  const person = await build.term('person', 'Doe, Jane');
  const inCopyright = 'http://rightsstatements.org/vocab/InC/1.0/';
  await build.node('image', 'One', { field_subject: [topic], field_rights: [inCopyright] });
  await build.node('image', 'Two', {
    field_subject_general: [general],
    field_subjects_name: [person],
    field_rights: ['https://rightsstatements.org/page/InC/1.0/?language=en'],
  });
  await build.node('image', 'Three', { field_subject: [general], field_subject_general: [general] });
  await build.node('image', 'Four', { field_rights: ['https://creativecommons.org/licenses/by/4.0/'] });
  await build.node('image', 'Five', { field_rights: ['Ask the archive.'] });
});
afterAll(() => repository.stop());

describe('the facet of subjects', () => {
  it('counts each item once, by the terms of all fields of subjects', async () => {
    expect(valuesOf(await find(''), 'subject')).toEqual([
      ['Harbours', 2],
      ['Doe, Jane', 1],
      ['Ferries', 1],
    ]);
    expect((await find(`f.subject=${general}`)).total).toBe(2);
  });
});

describe('the facet of rights', () => {
  it('counts statements and licences, in all their spellings, and no other texts', async () => {
    const values = valuesOf(await find(''), 'rights');
    expect(values[0]).toEqual(['In Copyright', 2]);
    expect(values.map(([label]) => label)).toEqual(['In Copyright', expect.stringContaining('CC BY 4.0')]);
    expect((await find('f.rights=In+Copyright')).total).toBe(2);
  });
});
