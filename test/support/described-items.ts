import type { SiteBuilder } from './site-builder.ts';

const VOCABULARIES = {
  subject: 24,
  genre: 5,
  geo_location: 8,
  person: 10,
} as const;
const MODELS = ['image', 'document', 'audio', 'book'] as const;
const ITEMS = 40;
const SUBJECTS_OF_ITEM = 5;

/** Fills a site with items (default: 40) in three collections, described as a small archive does: five subjects, a genre, a place, a date. */
export async function addDescribedItems(build: SiteBuilder, items = ITEMS): Promise<void> {
  const terms: Record<string, number[]> = {};
  for (const [vocabulary, count] of Object.entries(VOCABULARIES)) {
    terms[vocabulary] = [];
    for (let at = 0; at < count; at += 1) terms[vocabulary].push(await build.term(vocabulary, `${vocabulary} ${at}`));
  }
  const of = (vocabulary: keyof typeof VOCABULARIES, at: number) => {
    const all = terms[vocabulary] ?? [];
    return all[at % all.length] as number;
  };
  const collections = [];
  for (const title of ['Harbour', 'Town', 'Ferries']) collections.push(await build.node('collection', title));
  for (let at = 0; at < items; at += 1)
    await build.node(MODELS[at % MODELS.length] ?? 'image', `Ferry ${at} at the quay`, {
      field_member_of: [collections[at % collections.length] as number],
      field_subject: Array.from({ length: SUBJECTS_OF_ITEM }, (_, each) =>
        of('subject', at * 7 + each * (1 + (at % 5))),
      ),
      field_genre: [of('genre', at * 3)],
      field_geographic_subject: [of('geo_location', at * 5)],
      field_linked_agent: [{ target_id: of('person', at), rel_type: 'relators:pht' }],
      field_edtf_date_created: [String(1880 + ((at * 13) % 90))],
      field_rights: ['http://rightsstatements.org/vocab/InC/1.0/'],
    });
}
