import { Type as t } from '@sinclair/typebox';
import { ATOM_TYPE, type Feed, type FeedItem, writeFeed } from '../../harvest/feed/write-feed.ts';
import { etagOf } from '../../http/etag.ts';
import { entityPath, pathOf, paths } from '../../paths.ts';
import { type CardSelection, findCards } from '../../repository/content/lists/find-cards.ts';
import { findNodeTimes } from '../../repository/content/lists/find-node-times.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { findShown } from '../../web/find-content-or-404.ts';
import { type Description, describe, READ_CONDITIONS, versioned } from '../../web/openapi/describe.ts';
import { id } from '../../web/parameters.ts';
import { representation } from '../../web/respond.ts';

const MAX_ITEMS = 50;
const check = { resource: 'feed', formats: 'single' } as const;

/** The routes of feeds of newest items (RFC 4287). */
export const feedRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.feed, async ({ call }) => answerSite(call), {
      check,
      detail: describe(feed('getFeed', 'Read the newest items as a feed', [412])),
    })
    .get(paths.nodeFeed, async ({ call }) => answerNode(call), {
      check,
      params: t.Object({ node: id('The id of the node.') }),
      detail: describe(feed('getNodeFeed', 'Read the newest members of a node as a feed', [403, 404, 412])),
    });

function feed(operationId: string, summary: string, failures: Description['failures']): Description {
  return {
    operationId,
    tag: 'harvesting',
    summary,
    description: `At most ${MAX_ITEMS} items that the caller may view, as Atom.`,
    headers: READ_CONDITIONS,
    responses: versioned('The feed.', { [ATOM_TYPE]: t.String() }),
    failures,
  };
}

async function answerSite(call: Call): Promise<Response> {
  const { siteName: title, services } = call.api;
  const language = services.model.defaultLanguage;
  return answer(call, 'newest', { path: paths.feed, page: paths.home, title, language, changed: 0 });
}

async function answerNode(call: Call): Promise<Response> {
  const { content, parsed } = await findShown(call, 'node', 'always');
  const { id: node, changed, alias } = content.head;
  const label = String(parsed().members.title?.[0]?.value ?? '');
  const page = alias === null ? entityPath.node(node) : encodeURI(alias);
  return answer(
    call,
    { members: node },
    { path: pathOf('nodeFeed', { node }), page, title: label, language: undefined, changed },
  );
}

async function answer(
  call: Call,
  selection: CardSelection,
  about: Omit<Feed, 'siteName' | 'baseUrl' | 'items'>,
): Promise<Response> {
  const { api, actor, baseUrl } = call;
  const { services, siteName } = api;
  const { cards } = await findCards(services, actor, selection, { page: 0, size: MAX_ITEMS, sort: 'newest' });
  const ids = cards.map((card) => card.id);
  const times = await findNodeTimes(services, ids);
  const items = cards.flatMap((card): FeedItem[] => {
    const of = times.get(card.id);
    return of === undefined ? [] : [{ card, times: of }];
  });
  const body = writeFeed({ ...about, siteName, baseUrl, items });
  const contentType = `${ATOM_TYPE}; charset=utf-8`;
  return representation(call, { body, etag: etagOf(body), changed: undefined, contentType, includesOthers: true });
}
