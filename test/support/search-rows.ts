import type { InStatement } from '@libsql/client';
import { titleKeyOf } from '../../src/base/fold-text.ts';
import { indexedText } from '../../src/base/words.ts';
import { titleWordsOf } from '../../src/repository/title-words.ts';
import type { Viewer } from '../../src/search/search-types.ts';
import type { SearchSetup } from '../../src/search/setup.ts';
import { OPEN_ACCESS } from './unrestricted.ts';

/** Facets of tests, whose positions are their numbers. */
export const FACETS = ['collection', 'model', 'subject', 'agent', 'decade', 'full_text'] as const;

export const SETUP: SearchSetup = {
  weights: [10, 4, 5, 8, 1.5, 0.5],
  facets: [
    { name: 'collection', label: 'Collection', kind: 'collection', target: 'node' },
    { name: 'model', label: 'Model', kind: 'reference', target: 'taxonomy_term' },
    { name: 'subject', label: 'Subject', kind: 'reference', target: 'taxonomy_term' },
    { name: 'agent', label: 'Contributor', kind: 'agent', target: undefined },
    { name: 'decade', label: 'Decade', kind: 'decade', target: undefined },
    { name: 'full_text', label: 'Full text', kind: 'full_text', target: undefined },
  ],
  textFields: { item: ['field_abstract', 'field_description'] },
  bundles: { item: 'Item' },
  roles: { 'relators:pht': 'Photographer' },
  collectionUris: ['http://purl.org/dc/dcmitype/Collection'],
  bookUris: ['https://schema.org/Book'],
  vocabularies: ['subject', 'person'],
};

export const ANONYMOUS: Viewer = {
  id: 0,
  isAuthenticated: false,
  nodes: { published: true, unpublished: 'none' },
  terms: { published: true, unpublished: 'none' },
  viewsMedia: true,
  access: OPEN_ACCESS,
};
export const EDITOR: Viewer = {
  ...ANONYMOUS,
  id: 7,
  isAuthenticated: true,
  nodes: { published: true, unpublished: 'all' },
  terms: { published: true, unpublished: 'all' },
};
export const AUTHOR: Viewer = { ...EDITOR, nodes: { published: true, unpublished: 'own' }, terms: ANONYMOUS.terms };

/** Writes facets as `node_record` has them. */
export function facetBlob(groups: readonly (readonly [number, readonly number[]])[]): Buffer {
  const words = groups.flatMap(([facet, values]) => (values.length === 0 ? [] : [facet, values.length, ...values]));
  return Buffer.from(new Uint32Array(words).buffer);
}

/** A node of a test. */
export interface NodeRow {
  readonly nid: number;
  readonly title: string;
  readonly text?: string;
  readonly html?: string;
  readonly fulltext?: string;
  readonly creator?: string;
  readonly isHidden?: boolean;
  readonly ownerId?: number;
  readonly created?: number;
  readonly years?: readonly [number, number];
  readonly facets?: Partial<Record<(typeof FACETS)[number], readonly number[]>>;
}

/** The statements that write a node with its index, in place of an earlier one. */
export function nodeRow(node: NodeRow): InStatement[] {
  const { nid, title, text = '', html, fulltext = '', creator = '', years, ownerId = 1, created = nid } = node;
  const status = node.isHidden ? 0 : 1;
  const document = JSON.stringify({
    title: [{ value: title }],
    field_description: [{ value: text }],
    ...(html !== undefined && { field_abstract: [{ value: html, format: 'basic_html', processed: html }] }),
  });
  const groups = Object.entries(node.facets ?? {}).map(
    ([name, values]) => [FACETS.indexOf(name as (typeof FACETS)[number]), values] as const,
  );
  return [
    ...deleted(nid).slice(1),
    {
      sql: `INSERT OR REPLACE INTO node (id, uuid, bundle, label, owner_id, status, changed, version, layout, is_dangling, document)
        VALUES (?, ?, 'item', ?, ?, ?, 1, 1, 1, 0, ?)`,
      args: [nid, `uuid-${nid}`, title, ownerId, status, document],
    },
    {
      sql: `INSERT OR REPLACE INTO node_record (nid, sequence, is_deleted, status, owner_id, bundle, created, changed, title_key,
          date_from, date_to, has_text, facets, collections, text_hash)
        VALUES (?, (SELECT coalesce(max(sequence), 0) + 1 FROM node_record), 0, ?, ?, 'item', ?, 1, ?, ?, ?, ?, ?, '[]', '')`,
      args: [
        ...[nid, status, ownerId, created, titleKeyOf(title).slice(0, 64), years?.[0] ?? null, years?.[1] ?? null],
        ...[fulltext === '' ? 0 : 1, facetBlob(groups)],
      ],
    },
    {
      sql: 'INSERT OR REPLACE INTO search_title_word (id, key) SELECT ? * 32 + j.key, j.value FROM json_each(?) j',
      args: [nid, JSON.stringify(titleWordsOf(title))],
    },
    {
      sql: `INSERT INTO search_text (rowid, title, subject, creator, identifier, text, fulltext) VALUES (?, ?, '', ?, '', ?, ?)`,
      args: [
        nid,
        indexedText(title),
        indexedText(creator),
        indexedText(`${text} ${html?.replace(/<[^>]*>/g, ' ') ?? ''}`),
        indexedText(fulltext),
      ],
    },
    ...(fulltext === ''
      ? []
      : [
          {
            sql: 'INSERT OR REPLACE INTO extracted_text (media_id, node_id, is_hocr, text) VALUES (?, ?, 0, ?)',
            args: [nid, nid, Bun.zstdCompressSync(fulltext)],
          },
        ]),
  ];
}

/** The statements that delete a node. */
export function deleted(nid: number): InStatement[] {
  return [
    {
      sql: `UPDATE node_record SET is_deleted = 1, status = 0,
        sequence = (SELECT coalesce(max(sequence), 0) + 1 FROM node_record) WHERE nid = ?`,
      args: [nid],
    },
    { sql: 'DELETE FROM node WHERE id = ?', args: [nid] },
    { sql: 'DELETE FROM search_title_word WHERE id / 32 = ?', args: [nid] },
    { sql: 'DELETE FROM search_text WHERE rowid = ?', args: [nid] },
    { sql: 'DELETE FROM extracted_text WHERE node_id = ?', args: [nid] },
  ];
}

/** The statement that writes a term. */
export function termRow(id: number, bundle: string, name: string, isHidden = false): InStatement {
  return {
    sql: `INSERT INTO taxonomy_term (id, uuid, bundle, label, owner_id, status, changed, version, layout, is_dangling, document,
        folded_label) VALUES (?, ?, ?, ?, 1, ?, 1, 1, 1, 0, '{}', ?)`,
    args: [id, `term-${id}`, bundle, name, isHidden ? 0 : 1, name.toLowerCase()],
  };
}

/** The statements that make a node a collection: its model has the URI of one. */
export function asCollection(nid: number, model: number): InStatement[] {
  return ofModel(nid, model, 'http://purl.org/dc/dcmitype/Collection');
}

/** The statements that make a node a book: its model has the URI of one. */
export function asBook(nid: number, model: number): InStatement[] {
  return ofModel(nid, model, 'https://schema.org/Book');
}

function ofModel(nid: number, model: number, uri: string): InStatement[] {
  return [
    {
      sql: `INSERT OR IGNORE INTO term_uri (term_id, field, delta, uri) VALUES (?, 'field_external_uri', 0, ?)`,
      args: [model, uri],
    },
    {
      sql: `INSERT INTO reference (source_type, source_id, field, delta, target_type, target_id)
        VALUES ('node', ?, 'field_model', 0, 'taxonomy_term', ?)`,
      args: [nid, model],
    },
  ];
}
