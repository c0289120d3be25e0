import type { Link } from '../http/link-header.ts';
import { entityPath, paths } from '../paths.ts';
import type { CoreRight } from '../repository/core-right.ts';

/** The namespace of unregistered relations (spec: repository, "Link headers on GET and HEAD"). */
const PLATFORM = 'https://drupal.org/link-relations/';

/** A link that every entity of a type has for callers with the right. */
interface CoreLink {
  readonly rel: string;
  /** One of `paths`. The entity's id is part of it or becomes a query parameter (spec: rest-behaviour, 6.1). */
  readonly path: string;
  /** The path in parts: each second one is the name of a parameter. */
  readonly parts: readonly string[];
  readonly right: CoreRight;
  readonly method: 'GET' | 'POST';
}

const own = (name: string) => `${PLATFORM}${name}`;
const link = (rel: string, path: string, right: CoreRight = 'view', method: CoreLink['method'] = 'GET'): CoreLink => ({
  ...{ rel, path, parts: path.split(/:(\w+)/), right, method },
});

const NODE: readonly CoreLink[] = [
  link('canonical', paths.node),
  link(own('delete-form'), paths.nodeDelete, 'remove'),
  link(own('delete-multiple-form'), paths.nodeDeleteSeveral, 'remove'),
  link('edit-form', paths.nodeEdit, 'update'),
  link('version-history', paths.nodeRevisions, 'viewRevisions'),
  link(own('revision'), paths.node),
  link(own('create'), paths.nodes, 'createAny', 'POST'),
  link(own('add-page'), paths.nodeAdd, 'createAny'),
  link(own('add-form'), paths.nodeAddForm, 'create'),
];

const MEDIA: readonly CoreLink[] = [
  link(own('add-page'), paths.mediaAdd, 'createAny'),
  link(own('add-form'), paths.mediaAddForm, 'create'),
  link('canonical', paths.media),
  link('collection', paths.mediaOverview, 'list'),
  link(own('delete-form'), paths.mediaDelete, 'remove'),
  link(own('delete-multiple-form'), paths.mediaDeleteSeveral, 'remove'),
  link('edit-form', paths.mediaEdit, 'update'),
  link(own('revision'), paths.media),
  link('version-history', paths.mediaRevisions, 'viewRevisions'),
];

const TERM: readonly CoreLink[] = [
  link('canonical', paths.term),
  link(own('delete-form'), paths.termDelete, 'remove'),
  link('edit-form', paths.termEdit, 'update'),
  link(own('create'), paths.terms, 'createAny', 'POST'),
  link(own('revision'), paths.term),
  link('version-history', paths.termRevisions, 'viewRevisions'),
];

const USER: readonly CoreLink[] = [
  link('canonical', paths.user),
  link('edit-form', paths.userEdit, 'update'),
  link(own('cancel-form'), paths.userCancel, 'remove'),
  link('collection', paths.users, 'list'),
];

const FILE: readonly CoreLink[] = [link(own('delete-form'), paths.fileDelete, 'remove')];

const CORE_LINKS = { node: NODE, media: MEDIA, taxonomy_term: TERM, paragraph: [], user: USER, file: FILE };

/** The facts of an entity that determine its links. */
interface LinkSubject {
  readonly type: keyof typeof CORE_LINKS;
  readonly id: number;
  readonly bundle?: string;
  /** Replaces the address of the entity itself. */
  readonly alias?: string | undefined;
}

/** The caller that the links are for. */
export interface CoreLinkReader {
  readonly baseUrl: string;
  /** Returns true if a route answers this method of a path pattern. */
  readonly offers: (method: string, path: string) => boolean;
  readonly may: (right: CoreRight) => boolean;
}

/** Core links that answer and that a caller may open. */
export type OpenLinks = readonly CoreLink[];

/** Returns the core links of an entity whose address answers and which the caller may open (decision 37). */
export function openLinks(type: LinkSubject['type'], { offers, may }: Omit<CoreLinkReader, 'baseUrl'>): OpenLinks {
  return CORE_LINKS[type].filter(({ method, path, right }) => offers(method, path) && may(right));
}

/** Returns open links of an entity, in the order of the platform (spec: rest-behaviour, 6.1). */
export function linksFrom(open: OpenLinks, { type, id, bundle = '', alias }: LinkSubject, baseUrl: string): Link[] {
  const page = type === 'file' ? '' : entityPath[type](id);
  const canonical = alias === undefined ? page : encodeURI(alias);
  return open.map(({ rel, parts }) => {
    const address = parts
      .map((part, index) => {
        if (index % 2 === 0) return part;
        return part === type ? id : bundle;
      })
      .join('');
    if (address === page) return { href: baseUrl + canonical, rel };
    return { href: `${baseUrl}${address}${parts.includes(type) ? '' : `?${type}=${id}`}`, rel };
  });
}

/** Returns the core links of an entity that the caller may open. */
export function coreLinks(entity: LinkSubject, { baseUrl, ...reader }: CoreLinkReader): Link[] {
  return linksFrom(openLinks(entity.type, reader), entity, baseUrl);
}
