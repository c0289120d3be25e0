import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { expectNoFaults } from '../../support/check-ways.ts';
import { createRestrictedSite, type RestrictedSite } from '../../support/restricted-site.ts';
import { WAYS_TO_ALL, WAYS_TO_EACH } from '../../support/ways-to-content.ts';

let site: RestrictedSite;
beforeAll(async () => {
  site = await createRestrictedSite('image');
});
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  await site.stop();
});

describe('images of a collection with rules of all kinds', () => {
  it.each(WAYS_TO_ALL.map((way) => [way.name, way] as const))('show in %s what each caller may see', (_name, way) =>
    expectNoFaults(site, way),
  );
  it.each(WAYS_TO_EACH.map((way) => [way.name, way] as const))('show in %s what each caller may see', (_name, way) =>
    expectNoFaults(site, way),
  );
});
