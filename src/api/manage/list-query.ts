import { type TObject, Type as t } from '@sinclair/typebox';
import type { ManagedList } from '../../representation/manage/content-list-data.ts';
import { queryOf } from '../parameters.ts';
import { FILTER_NAMES } from './list-filters.ts';

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  title: 'Words of the title. The beginning of a word is enough.',
  name: 'A part of the name.',
  model: 'The id of the term in `field_model`.',
  use: 'The id of a term in `field_media_use`.',
  type: 'The type.',
  collection: 'The id of a collection.',
  published: '`yes` or `no`.',
  owner: 'The name of the owner.',
  changed_since: 'Changed on this day or later, such as 2026-11-23.',
  changed_until: 'Changed on this day or before, such as 2026-11-23.',
};

const text = (description: string) => t.Optional(t.String({ description }));

/** Returns the schema of the query of a list for editors. The page shows an error for an invalid filter. */
export function listQuery(list: ManagedList): TObject {
  return queryOf({
    ...Object.fromEntries(FILTER_NAMES[list].map((name) => [name, text(DESCRIPTIONS[name] ?? '')])),
    sort: text(
      'The order: `changed`, or `title` (nodes) or `name` (media); with `-` from the end. Default: `-changed`.',
    ),
    after: text('The page after a place, from a link of the page.'),
    before: text('The page before a place, from a link of the page.'),
  });
}
