import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { expectNoFaults } from '../../support/check-ways.ts';
import { createRestrictedSite, type RestrictedSite } from '../../support/restricted-site.ts';
import { WAYS_TO_ALL } from '../../support/ways-to-content.ts';

let site: RestrictedSite;
beforeAll(async () => {
  site = await createRestrictedSite('page');
});
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  await site.stop();
});

describe('pages of a book with rules of all kinds', () => {
  // Searches show pages below their book.
  it.each(WAYS_TO_ALL.map((way) => [way.name, { ...way, shows: [] }] as const))(
    'hide in %s what is closed',
    (_name, way) => expectNoFaults(site, way),
  );
});
