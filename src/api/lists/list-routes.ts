import { Type as t } from '@sinclair/typebox';
import { type Link, linkHeader } from '../../http/link-header.ts';
import { recordOf } from '../../http/request-log.ts';
import type { Permission } from '../../model/permissions.ts';
import { paths } from '../../paths.ts';
import { permissionAccess } from '../../repository/access.ts';
import { atNode } from '../../repository/actor-at.ts';
import type { Content } from '../../repository/content/content.ts';
import {
  findReferrers,
  findTermsByName,
  findTermsByUri,
  listTerms,
  type Page,
} from '../../repository/content/lists/lists.ts';
import { MEDIA_OF, MEMBER_OF } from '../../repository/relations.ts';
import { contentJson } from '../../representation/content-json.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { findOr404 } from '../../web/find-content-or-404.ts';
import { type Description, describe, listOf } from '../../web/openapi/describe.ts';
import { id, PAGE_QUERY, type PageQuery, pageOf, queryOf } from '../../web/parameters.ts';
import { CONTENT_SCHEMAS } from '../content/content-schemas.ts';
import { answerList } from './list-answer.ts';

const PAGE_SIZE = 10;
const WHOLE = 'The whole list, or one page of ten.';
const WITH_LINKS = `${WHOLE} \`Link\` of a page has the first, the previous and the next one.`;

const node = t.Object({ node: id('The id of the node.') });
const vocabulary = t.Object({
  taxonomy_vocabulary: t.String({ description: 'The name of the vocabulary, such as tags.' }),
});
const paged = queryOf(PAGE_QUERY);
const asked = (description: string) => t.Optional(t.String({ description }));
const vid = asked('The name of the vocabulary, such as tags.');

/** Routes of read-only lists (spec: rest-behaviour, 10.3). Without `page` a list is returned as a whole. */
export const listRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.nodeMedia, async ({ call, query }) => listOfNode(call, 'media', MEDIA_OF, query), {
      check: {
        resource: 'views.node_media',
        access: (call: Call) => mayList(call, 'manage media'),
      },
      params: node,
      query: paged,
      detail: describe(describedOfNode('listNodeMedia', 'List the media of a node', 'media')),
    })
    .get(paths.nodeMembers, async ({ call, query }) => listOfNode(call, 'node', MEMBER_OF, query), {
      check: {
        resource: 'views.node_members',
        access: (call: Call) => mayList(call, 'manage members'),
      },
      params: node,
      query: paged,
      detail: describe(describedOfNode('listNodeMembers', 'List the members of a node', 'node')),
    })
    .get(paths.termFromUri, async ({ call, query }) => termsByUri(call, 'field_external_uri', query.uri), {
      check: { resource: 'views.term_from_uri', access: mayFindTerms },
      query: queryOf({ uri: asked('Such as http://pcdm.org/use#OriginalFile.') }),
      detail: describe(describedTerms('findTermsByUri', 'Find terms by their external URI')),
    })
    .get(
      paths.termFromAuthorityLink,
      async ({ call, query }) => termsByUri(call, 'field_authority_link', query.authority_link),
      {
        check: { resource: 'views.term_from_authority_link', access: mayFindTerms },
        query: queryOf({ authority_link: asked('Such as http://id.loc.gov/vocabulary/languages/nor.') }),
        detail: describe(describedTerms('findTermsByAuthorityLink', 'Find terms by their authority link')),
      },
    )
    .get(paths.termFromName, async ({ call, query: { vocab, name } }) => termsByName(call, vocab, name), {
      check: { resource: 'views.term_from_term_name', access: mayFindTerms },
      query: queryOf({ vocab: vid, name: asked('The name of the term.') }),
      detail: describe(describedTerms('findTermsByName', 'Find terms of a vocabulary by name')),
    })
    // An unknown vocabulary has no terms.
    .get(paths.vocabularyByQuery, async ({ call, query }) => termsIn(call, query.vid ?? '', query), {
      check: { resource: 'views.vocabulary', access: mayFindTerms },
      query: queryOf({ vid, ...PAGE_QUERY }),
      detail: describe(describedTerms('findVocabulary', 'List the terms of a vocabulary')),
    })
    .get(paths.vocabulary, async ({ call, query, params }) => termsIn(call, params.taxonomy_vocabulary, query), {
      check: { resource: 'views.vocabulary', access: mayListVocabulary },
      params: vocabulary,
      query: paged,
      detail: describe({
        ...describedTerms('getVocabulary', 'List the terms of a vocabulary'),
        description: WHOLE,
        failures: [403, 404],
      }),
    });

function describedOfNode(operationId: string, summary: string, type: 'media' | 'node'): Description {
  return {
    operationId,
    tag: 'lists',
    summary,
    description: WITH_LINKS,
    responses: listOf(CONTENT_SCHEMAS[type].answer, ['Link']),
    failures: [403, 404],
  };
}

function describedTerms(operationId: string, summary: string): Description {
  return {
    operationId,
    tag: 'lists',
    summary,
    responses: listOf(CONTENT_SCHEMAS.taxonomy_term.answer),
    failures: [403],
  };
}

async function mayList(call: Call, permission: Permission): Promise<void> {
  const node = await findOr404(call, 'node');
  call.allow(permissionAccess(atNode(call.actor, node.head), permission));
  call.allow(node.kind.access.view(call.actor, node.head));
}

async function listOfNode(call: Call, type: 'node' | 'media', field: string, query: PageQuery): Promise<Response> {
  const { services, kinds } = call.api;
  const target = { targetType: 'node', targetId: call.id('node'), field } as const;
  const referrers = await findReferrers(services, kinds[type], target, call.actor, pageOf(query, PAGE_SIZE));
  const links = query.page === undefined ? [] : numberedPageLinks(call, Number(query.page), referrers.hasMore);
  return list(call, referrers.batches, links.length > 0 ? { Link: linkHeader(links) } : {});
}

/** Returns the links to the first, previous and next page of a list with numbered pages. */
function numberedPageLinks({ request, baseUrl }: Call, page: number, hasMore: boolean): Link[] {
  const address = `${baseUrl}${recordOf(request).path}?_format=json&page=`;
  return [
    { href: `${address}0`, rel: 'first' },
    ...(page > 0 ? [{ href: `${address}${page - 1}`, rel: 'prev' }] : []),
    ...(hasMore ? [{ href: `${address}${page + 1}`, rel: 'next' }] : []),
  ];
}

function mayFindTerms(call: Call): void {
  call.allow(permissionAccess(call.actor, 'administer taxonomy', 'use islandora workbench'));
}

function mayListVocabulary(call: Call): void {
  if (!call.api.services.model.vocabularies.has(call.params.taxonomy_vocabulary ?? ''))
    throw call.notFound('taxonomy_vocabulary');
  mayFindTerms(call);
}

async function termsByUri(call: Call, field: string, uri: string | undefined): Promise<Response> {
  const { services, kinds } = call.api;
  return list(call, uri === undefined ? [] : await findTermsByUri(services, kinds.taxonomy_term, field, uri));
}

async function termsByName(call: Call, vocab: string | undefined, name: string | undefined): Promise<Response> {
  const { services, kinds } = call.api;
  const isAsked = vocab !== undefined && name !== undefined;
  return list(call, isAsked ? await findTermsByName(services, kinds.taxonomy_term, vocab, name) : []);
}

function termsIn(call: Call, vocabularyId: string, query: PageQuery): Promise<Response> {
  const { services, kinds } = call.api;
  const page: Page | undefined = pageOf(query, PAGE_SIZE);
  return list(call, listTerms(services, kinds.taxonomy_term, vocabularyId, call.actor, page));
}

/** Returns the entries that the caller may view, as whole entities. */
function list(
  call: Call,
  entries: AsyncIterable<Content[]> | Content[],
  headers?: Record<string, string>,
): Promise<Response> {
  return answerList(call, entries, (content) => contentJson(content, call), headers);
}
