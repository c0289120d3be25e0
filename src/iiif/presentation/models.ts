import type { Surroundings } from '../../repository/content/surroundings.ts';

/** The models of nodes whose members are items of their own. */
const COLLECTIONS: ReadonlySet<string | undefined> = new Set([
  'http://purl.org/dc/dcmitype/Collection',
  'https://schema.org/Newspaper',
]);
/** The models of nodes whose members are pages. */
const PAGED: ReadonlySet<string | undefined> = new Set([
  'https://schema.org/Book',
  'https://schema.org/PublicationIssue',
]);

/** The model of nodes with a description of their own, whose members are items. */
const COMPOUND = 'http://vocab.getty.edu/aat/300242735';

/** Returns the URI of the term that says what kind of item a node is. */
export function modelOf({ targets }: Surroundings): string | undefined {
  return targets.find(({ field }) => field === 'field_model')?.target.externalUri;
}

export const isCollection = (model: string | undefined): boolean => COLLECTIONS.has(model);

export const isPaged = (model: string | undefined): boolean => PAGED.has(model);

export const isCompound = (model: string | undefined): boolean => model === COMPOUND;
