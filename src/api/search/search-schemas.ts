import { Type as t } from '@sinclair/typebox';
import { closed, UUID_PATTERN } from '../../field-types/schemas.ts';
import { namedSchema } from '../../web/openapi/components.ts';

const address = t.String({ format: 'uri' });

/** A page of search results. */
export const searchResults = namedSchema(
  'SearchResults',
  closed({
    total: t.Integer({ minimum: 0, description: 'The number of all results that the caller may view.' }),
    page: t.Integer({ minimum: 0, description: 'The page, from 0.' }),
    size: t.Integer({ minimum: 1, maximum: 100 }),
    items: t.Array(
      closed({
        nid: t.Integer({ minimum: 1 }),
        uuid: t.String({ pattern: UUID_PATTERN }),
        title: t.String(),
        url: address,
        type: t.String({ description: 'The content type, such as islandora_object.' }),
        model: t.Union([t.String(), t.Null()], { description: 'The name of its model.' }),
        thumbnail: t.Union([address, t.Null()], { description: 'The address of its picture.' }),
        date: t.Union([t.String(), t.Null()], { description: 'Its date as EDTF.' }),
        snippet: t.Union([t.String(), t.Null()], {
          description: 'The text around the words of the search, as HTML without elements except `mark`.',
        }),
        pageCount: t.Integer({ minimum: 0, description: 'The number of the pages of a book that match.' }),
        pages: t.Array(
          closed({
            nid: t.Integer({ minimum: 1 }),
            title: t.String(),
            url: address,
            reader: t.Union([address, t.Null()], {
              description:
                'The page of the book that opens here, with the words marked. Null if its text has none of them.',
            }),
            snippet: t.Union([t.String(), t.Null()]),
          }),
          { description: 'The first pages of a book that match.' },
        ),
      }),
    ),
    facets: t.Array(
      closed({
        name: t.String({ description: 'The facet: its parameter is `f.` and this name.' }),
        label: t.String(),
        values: t.Array(
          closed({
            value: t.String(),
            label: t.String(),
            count: t.Integer({ minimum: 0, description: 'The number of results with this value.' }),
            url: t.String({ format: 'uri', description: 'The same search with this value as a filter.' }),
          }),
        ),
      }),
    ),
  }),
);

/** Completions of what a reader types. */
export const suggestions = namedSchema(
  'Suggestions',
  closed({
    query: t.String(),
    suggestions: t.Array(
      closed({
        text: t.String(),
        kind: t.String({ description: '`title`, `collection` or `term`.' }),
        url: t.Union([address, t.Null()], { description: 'The address of its page.' }),
      }),
    ),
  }),
);

/** Completions for the address bar of a browser: the query, the completions, their kinds, and the addresses of their pages. */
export const openSearchSuggestions = namedSchema(
  'OpenSearchSuggestions',
  t.Array(t.Unknown({ description: 'The query as a text, then three lists.' }), { minItems: 4, maxItems: 4 }),
);
