import type { InStatement } from '@libsql/client';
import { asCollection, type NodeRow, nodeRow, termRow } from './search-rows.ts';

export const [PHOTOGRAPH, MODEL_OF_COLLECTIONS, SHIPS, SECRET, BOYLE] = [1_001, 1_002, 1_003, 1_004, 1_005] as const;
const LONG = `${'Nothing of note happened. '.repeat(400)}The Łódź delegation visited the harbour in winter. ${'Then all went home. '.repeat(50)}`;

/** Content of tests of searches. Node 3, node 6 and the term SECRET are unpublished. */
export const NODES: readonly NodeRow[] = [
  { nid: 1, title: 'Harbour Commission', facets: { model: [MODEL_OF_COLLECTIONS] } },
  { nid: 2, title: 'Boyle photographs', facets: { collection: [1], model: [MODEL_OF_COLLECTIONS] } },
  { nid: 3, title: 'Closed papers', isHidden: true, facets: { collection: [1], model: [MODEL_OF_COLLECTIONS] } },
  {
    ...{
      nid: 4,
      title: 'Harbour in winter',
      text: 'Ice in the inner basin.',
      years: [1908, 1910],
      creator: 'Boyle, Margaret',
    },
    facets: { collection: [2], model: [PHOTOGRAPH], subject: [SHIPS], agent: [1], decade: [1900, 1910] },
  },
  {
    ...{
      nid: 5,
      title: 'Ferry leaving',
      text: 'The ferry of the Dartmouth line leaves the harbour.',
      years: [1929, 1929],
    },
    facets: { collection: [2, 3], model: [PHOTOGRAPH], subject: [SHIPS, SECRET], decade: [1920] },
  },
  {
    ...{
      nid: 6,
      title: 'Closed until 2040',
      text: 'A secret plan of the harbour, drawn by zephyrine.',
      isHidden: true,
      ownerId: 7,
    },
    facets: { collection: [3], model: [PHOTOGRAPH], subject: [SHIPS] },
  },
  { nid: 7, title: 'Annual report', fulltext: LONG, facets: { collection: [1], full_text: [1] } },
  {
    nid: 8,
    title: 'Zürcher Ansichten',
    html: '<p>Blick auf den <b>Hafen</b> &amp; die Stadt Z\u0075\u0308rich</p>',
    facets: { collection: [1] },
  },
];

/** The statements that write the content. */
export function searchContent(): InStatement[] {
  return [
    termRow(PHOTOGRAPH, 'islandora_models', 'Photograph'),
    termRow(MODEL_OF_COLLECTIONS, 'islandora_models', 'Collection'),
    termRow(SHIPS, 'subject', 'Ships'),
    termRow(SECRET, 'subject', 'Shipwrecks nobody knows', true),
    termRow(BOYLE, 'person', 'Boyle, Margaret'),
    { sql: 'INSERT INTO facet_value (id, text) VALUES (1, ?)', args: [`relators:pht|${BOYLE}`] },
    ...[1, 2, 3].flatMap((nid) => asCollection(nid, MODEL_OF_COLLECTIONS)),
    ...NODES.flatMap(nodeRow),
  ];
}
