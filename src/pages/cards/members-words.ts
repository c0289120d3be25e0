import type { View } from '../view.ts';

/** The words of a list of members. Without `empty`, a node without members has no list. */
interface MembersWords {
  readonly title: string;
  readonly empty?: string;
}

const PAGES: MembersWords = { title: 'Pages' };
const PARTS: MembersWords = { title: 'Parts' };

/** The words by the URI of the node's model. */
const WORDS: ReadonlyMap<string | undefined, MembersWords> = new Map([
  [
    'http://purl.org/dc/dcmitype/Collection',
    { title: 'In this collection', empty: 'This collection has no items yet.' },
  ],
  ['https://schema.org/Newspaper', { title: 'Issues', empty: 'This newspaper has no issues yet.' }],
  ['https://schema.org/Book', PAGES],
  ['https://schema.org/PublicationIssue', PAGES],
]);

/** Returns the words of the list of a node's members. */
export function membersWords({ around }: View): MembersWords {
  return WORDS.get(around.targets.find(({ field }) => field === 'field_model')?.target.externalUri) ?? PARTS;
}

/** Returns true for a node whose members matter more than its details: a collection. */
export function isCollectionView(view: View): boolean {
  return membersWords(view).empty !== undefined;
}
