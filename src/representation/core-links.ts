import type { Link } from '../http/link.ts';
import { entityPath } from '../paths.ts';

/** Where the relations live that are not registered ones (spec: repository, "Link headers on GET and HEAD"). */
const PLATFORM = 'https://drupal.org/link-relations/';

/** What a core link is made from; `canonical` is the entity's address or alias, without host. */
interface Named {
  readonly id: number;
  readonly revisionId: number;
  readonly bundle: string;
  readonly canonical: string;
}

type Template = readonly [rel: string, path: (entity: Named) => string];

const NODE: readonly Template[] = [
  ['canonical', ({ canonical }) => canonical],
  [`${PLATFORM}delete-form`, ({ id }) => `/node/${id}/delete`],
  [`${PLATFORM}delete-multiple-form`, ({ id }) => `/admin/content/node/delete?node=${id}`],
  ['edit-form', ({ id }) => `/node/${id}/edit`],
  ['version-history', ({ id }) => `/node/${id}/revisions`],
  [`${PLATFORM}revision`, ({ canonical }) => canonical],
  [`${PLATFORM}create`, ({ id }) => `/node?node=${id}`],
  [`${PLATFORM}add-page`, ({ id }) => `/node/add?node=${id}`],
  [`${PLATFORM}add-form`, ({ id, bundle }) => `/node/add/${bundle}?node=${id}`],
];

const MEDIA: readonly Template[] = [
  [`${PLATFORM}add-page`, ({ id }) => `/media/add?media=${id}`],
  [`${PLATFORM}add-form`, ({ id, bundle }) => `/media/add/${bundle}?media=${id}`],
  ['canonical', ({ canonical }) => canonical],
  ['collection', ({ id }) => `/admin/content/media?media=${id}`],
  [`${PLATFORM}delete-form`, ({ id }) => `/media/${id}/delete`],
  [`${PLATFORM}delete-multiple-form`, ({ id }) => `/media/delete?media=${id}`],
  ['edit-form', ({ id }) => `/media/${id}/edit`],
  [`${PLATFORM}revision`, ({ canonical }) => canonical],
  ['version-history', ({ id }) => `/media/${id}/revisions`],
  [`${PLATFORM}revision-delete-form`, ({ id, revisionId }) => `/media/${id}/revision/${revisionId}/delete`],
  [`${PLATFORM}revision-revert-form`, ({ id, revisionId }) => `/media/${id}/revision/${revisionId}/revert`],
];

const TERM: readonly Template[] = [
  ['canonical', ({ canonical }) => canonical],
  [`${PLATFORM}delete-form`, ({ id }) => `/taxonomy/term/${id}/delete`],
  ['edit-form', ({ id }) => `/taxonomy/term/${id}/edit`],
  [`${PLATFORM}create`, ({ id }) => `/taxonomy/term?taxonomy_term=${id}`],
  [`${PLATFORM}revision`, ({ canonical }) => canonical],
  [`${PLATFORM}revision-delete-form`, ({ id, revisionId }) => `/taxonomy/term/${id}/revision/${revisionId}/delete`],
  [`${PLATFORM}revision-revert-form`, ({ id, revisionId }) => `/taxonomy/term/${id}/revision/${revisionId}/revert`],
  ['version-history', ({ id }) => `/taxonomy/term/${id}/revisions`],
];

const USER: readonly Template[] = [
  ['canonical', ({ canonical }) => canonical],
  ['edit-form', ({ id }) => `/user/${id}/edit`],
  [`${PLATFORM}cancel-form`, ({ id }) => `/user/${id}/cancel`],
  ['collection', ({ id }) => `/admin/people?user=${id}`],
];

const FILE: readonly Template[] = [[`${PLATFORM}delete-form`, ({ id }) => `/file/${id}/delete`]];

const TEMPLATES = { node: NODE, media: MEDIA, taxonomy_term: TERM, paragraph: [], user: USER, file: FILE };

/**
 * The links that every entity of a type has, the same for everyone who may view it, in the order of the platform
 * (spec: rest-behaviour, 6.1): those that it had first, and then those that came later. An `alias` stands in for
 * the address of the entity itself.
 */
export function coreLinks(
  type: keyof typeof TEMPLATES,
  {
    id,
    bundle = '',
    revisionId = 0,
    alias,
  }: { id: number; bundle?: string; revisionId?: number; alias?: string | undefined },
  baseUrl: string,
): Link[] {
  const canonical = alias === undefined ? (type === 'file' ? '' : entityPath[type](id)) : encodeURI(alias);
  return TEMPLATES[type].map(([rel, path]) => ({
    href: `${baseUrl}${path({ id, bundle, revisionId, canonical })}`,
    rel,
  }));
}
