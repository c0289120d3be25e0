import { Type as t } from '@sinclair/typebox';
import { ServiceError } from '../../base/errors.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { entityPath, paths } from '../../paths.ts';
import { seesMoreThan } from '../../repository/access/seen-on-network.ts';
import { nodeAccess } from '../../repository/access.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { linksOf } from '../../web/content-links.ts';
import { findShown } from '../../web/find-content-or-404.ts';
import { formAnswer } from '../../web/form-answer.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { id, queryOf } from '../../web/parameters.ts';
import type { HtmlPage } from '../../web/respond.ts';
import { gatherPage } from '../content/gather-page.ts';
import { FIRST_PAGE } from '../content/page-query.ts';
import { formPage } from '../forms/form-page.tsx';
import { strangerInWords, ViewAsBar, type ViewedAs } from './view-as-bar.tsx';

/** The route of the page of an item as a stranger sees it, for its editors. */
export const viewAsRoutes = (api: ApiServices) =>
  resource(api).get(paths.nodeViewAs, async ({ call, query }) => answer(call, query.network), {
    check: { resource: 'entity.node', formats: PAGE_FORMATS },
    params: t.Object({ node: id('The id of the node.') }),
    query: queryOf({
      network: t.Optional(t.String({ description: 'The configured network of the stranger. Default: none.' })),
    }),
  });

async function answer(call: Call, network: string | undefined): Promise<Response> {
  const { api, actor } = call;
  const { head } = (await findShown(call, 'node', 'for links')).content;
  call.require(nodeAccess.update(actor, head));
  const stranger = api.anonymousIn(await networksFor(call, network));
  const viewedAs: ViewedAs = { network, back: entityPath.node(head.id) };
  const theirs = call.as(stranger);
  const entity = await theirs.readContent('node', 'always');
  if (entity === undefined) throw call.notFound('node');
  if (!entity.access.isAllowed) return formAnswer(hiddenPage(call, viewedAs));
  const page = await gatherPage(theirs, entity, FIRST_PAGE);
  const { parsed, surroundings } = entity;
  const links = linksOf(theirs, entity, 'html');
  return formAnswer(page.render({ content: parsed(), around: surroundings, links, viewedAs }, theirs.pageSource));
}

/** Returns the networks of a stranger. Throws for an unknown one, and if the stranger would see more than the caller. */
async function networksFor({ api, actor }: Call, network: string | undefined): Promise<string[]> {
  const { access, database, fields } = api.services;
  if (network === undefined) return [];
  if (!fields.access.networks.has(network))
    throw new ServiceError('not-found', `The setting networks has no entry "${network.slice(0, 50)}".`);
  if (await seesMoreThan(database, access.sets, api.anonymousIn([network]).actor, actor))
    throw new ServiceError('forbidden', `Strangers on the network ${network} see items that you may not see.`);
  return [network];
}

/** Returns the page about an item that strangers do not see. */
function hiddenPage({ site }: Call, viewedAs: ViewedAs): HtmlPage {
  const { network } = viewedAs;
  const words = strangerInWords(network);
  return formPage({
    site,
    heading: `Hidden from ${words}`,
    styles: ['preview.css'],
    lead: <ViewAsBar {...viewedAs} root={siteRoot(site.baseUrl)} language={PAGE_LANGUAGE} />,
    children: (
      <p>
        For {words}, the address of this item answers that signing in is needed. Lists, searches and harvests leave the
        item out.
      </p>
    ),
  });
}
