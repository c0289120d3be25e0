import { ServiceError } from '../base/errors.ts';
import { paths } from '../paths.ts';
import { permissionAccess } from '../repository/access.ts';
import type { Content } from '../repository/content/content.ts';
import { findTermsByName, findTermsByUri, listReferrers, listTerms, type Page } from '../repository/content/lists.ts';
import type { Call } from './call.ts';
import { bodyOf, findOr404 } from './content-routes.ts';
import { answerList } from './list-answer.ts';
import * as described from './openapi/describe-lists.ts';
import type { Route } from './routes.ts';

const PAGE_SIZE = 10;
const MAX_PAGE = 1_000_000;

/** Read-only lists (spec: rest-behaviour, 10.3): bare arrays, whole unless a page is asked for. */
export const listRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: paths.nodeMedia,
    resource: 'views.node_media',
    description: described.listOfNode('listNodeMedia', 'List the media of a node', 'Media'),
    answer: (call) => listOfNode(call, 'media', 'field_media_of', 'manage media', paths.nodeMedia),
  },
  {
    method: 'GET',
    path: paths.nodeMembers,
    resource: 'views.node_members',
    description: described.listOfNode('listNodeMembers', 'List the members of a node', 'Node'),
    answer: (call) => listOfNode(call, 'node', 'field_member_of', 'manage members', paths.nodeMembers),
  },
  {
    method: 'GET',
    path: paths.termFromUri,
    resource: 'views.term_from_uri',
    description: described.termsByUri,
    answer: (call) => termsByUri(call, 'field_external_uri', 'uri'),
  },
  {
    method: 'GET',
    path: paths.termFromAuthorityLink,
    resource: 'views.term_from_authority_link',
    description: described.termsByAuthorityLink,
    answer: (call) => termsByUri(call, 'field_authority_link', 'authority_link'),
  },
  {
    method: 'GET',
    path: paths.termFromName,
    resource: 'views.term_from_term_name',
    description: described.termsByName,
    answer: termsByName,
  },
  {
    method: 'GET',
    path: paths.vocabularyByQuery,
    resource: 'views.vocabulary',
    description: described.termsByVocabulary,
    answer: termsByVocabulary,
  },
  {
    method: 'GET',
    path: paths.vocabulary,
    resource: 'views.vocabulary',
    description: described.termsOfVocabulary,
    answer: termsOfVocabulary,
  },
];

async function listOfNode(
  call: Call,
  type: 'node' | 'media',
  field: string,
  permission: string,
  path: string,
): Promise<Response> {
  const node = await findOr404(
    call,
    'node',
    path,
    `view.${type === 'media' ? 'media_of_node' : 'members'}.rest_export`,
  );
  call.allow(permissionAccess(call.actor, permission));
  call.allow(node.kind.access.view(call.actor, node.head));
  const { api } = call;
  const found = listReferrers(
    api.services,
    api.kinds[type],
    { targetType: 'node', targetId: node.head.id, field },
    call.actor,
    pageOf(call, PAGE_SIZE),
  );
  return list(call, found);
}

async function termsByUri(call: Call, field: string, parameter: string): Promise<Response> {
  allowTaxonomy(call);
  const uri = call.query(parameter);
  const found =
    uri === undefined ? [] : await findTermsByUri(call.api.services, call.api.kinds.taxonomy_term, field, uri);
  return list(call, found);
}

async function termsByName(call: Call): Promise<Response> {
  allowTaxonomy(call);
  const { api } = call;
  const [vocabulary, name] = [call.query('vocab'), call.query('name')];
  const isAsked = vocabulary !== undefined && name !== undefined;
  return list(call, isAsked ? await findTermsByName(api.services, api.kinds.taxonomy_term, vocabulary, name) : []);
}

async function termsOfVocabulary(call: Call): Promise<Response> {
  const vid = call.params.taxonomy_vocabulary ?? '';
  if (!call.api.services.model.vocabularies.has(vid))
    throw call.notFound('taxonomy_vocabulary', paths.vocabulary, 'view.vocabulary.rest_export');
  return termsIn(call, vid);
}

/** The same by a query parameter: what no vocabulary is called has no terms. */
function termsByVocabulary(call: Call): Promise<Response> {
  return termsIn(call, call.query('vid') ?? '');
}

async function termsIn(call: Call, vid: string): Promise<Response> {
  allowTaxonomy(call);
  const { services, kinds } = call.api;
  return list(call, listTerms(services, kinds.taxonomy_term, vid, call.actor, pageOf(call, PAGE_SIZE)));
}

function allowTaxonomy(call: Call): void {
  call.allow(permissionAccess(call.actor, 'administer taxonomy', 'use islandora workbench'));
}

/** The page that is asked for, from 0, of so many entries; undefined for the whole list. Throws `malformed` for what is no number. */
export function pageOf(call: Call, size: number): Page | undefined {
  const text = call.query('page');
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text))
    throw new ServiceError(
      'malformed',
      `The query parameter "page" must be a number from 0, found "${text.slice(0, 20)}".`,
    );
  return { limit: size, offset: Math.min(Number(text), MAX_PAGE) * size };
}

/** The same, but the first page where none is asked for. */
export function pageOrFirst(call: Call, size: number): Page {
  return pageOf(call, size) ?? { limit: size, offset: 0 };
}

/** What the caller may see of a list, as whole entities. */
function list(call: Call, found: AsyncIterable<Content[]> | Content[]): Promise<Response> {
  return answerList(call, found, (content) => bodyOf(call, content));
}
