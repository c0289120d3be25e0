import { type Static, Type as t } from '@sinclair/typebox';
import { ServiceError } from '../../base/errors.ts';
import { entityPath, pathOf, paths } from '../../paths.ts';
import { linkAccess } from '../../repository/access.ts';
import {
  findAccessLinks,
  makeAccessLink,
  recordLinkUse,
  revokeAccessLink,
} from '../../repository/asking/access-links.ts';
import { type Content, open } from '../../repository/content/content.ts';
import { cookieWithLink } from '../../web/access-links.ts';
import type { ApiServices } from '../../web/api-services.ts';
import { type Call, parseId } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { findOr404 } from '../../web/find-content-or-404.ts';
import { formAnswer, seeOther } from '../../web/form-answer.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { addressOf } from '../../web/identify.ts';
import { id } from '../../web/parameters.ts';
import { invalidLinkPage } from '../account/invalid-link-page.tsx';
import { type LinksData, linksPage } from './links-page.tsx';

const params = t.Object({ node: id('The id of the node.') });
const Token = t.Object({ token: t.String({ description: 'The token of a link to restricted files.' }) });
const LinkForm = t.Object({
  label: t.Optional(t.String({ description: 'Whom the new link is for.' })),
  last_day: t.Optional(t.String({ description: 'The last day of the new link, such as `2027-05-01`.' })),
  revoke: t.Optional(t.String({ description: 'The id of the link to revoke.' })),
});
const ALLOWED = { isAllowed: true } as const;
/** The address is a secret, which no other page may learn. */
const HEADERS = { 'Referrer-Policy': 'no-referrer' };

/** The routes of links that open the files of a node: their address, and the page on which editors make and revoke them. */
export const accessLinkRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.accessLink, ({ call }) => follow(call), { check: { formats: PAGE_FORMATS }, params: Token })
    .get(paths.nodeAccessLinks, async ({ call }) => show(call, await findShared(call)), {
      check: { formats: PAGE_FORMATS, access: findShared },
      params,
    })
    .post(paths.nodeAccessLinks, ({ call, body }) => change(call, body), {
      check: { form: 'signed', formats: PAGE_FORMATS, access: findShared },
      params,
      body: LinkForm,
    });

/** Gives the browser the link, and leads it to the item. An invalid link answers 404, whatever is wrong with it. */
async function follow(call: Call): Promise<Response> {
  call.allow(ALLOWED);
  const { api, request, peer, params } = call;
  const { token = '' } = params;
  const link = await api.findAccessLink(token);
  if (link === undefined) return formAnswer(invalidLinkPage(call.site, undefined), 404, HEADERS);
  await recordLinkUse(api.services, link, addressOf(api, request, peer));
  const response = seeOther(call, entityPath.node(link.nodeId), undefined, HEADERS);
  response.headers.append('Set-Cookie', cookieWithLink(call, token, link));
  return response;
}

/** Returns the node of the path. Throws 401 or 403 for a caller who may not open it to others. */
async function findShared(call: Call): Promise<Content> {
  const node = call.content ?? (await findOr404(call, 'node'));
  const { kind, head } = node;
  const { sets } = call.api.services.access;
  call.allow(kind.access.view(call.actor, head));
  call.allow(linkAccess(call.actor, head, sets.hasOwnRule(head.accessSet)));
  call.content = node;
  return node;
}

async function show(call: Call, node: Content, more: Partial<LinksData> = {}, status = 200): Promise<Response> {
  const { api, formToken, site } = call;
  const { head } = node;
  const { access } = api.services;
  const data: LinksData = {
    ...{ id: head.id, title: open(node).draft.label, token: formToken, today: access.today },
    isPublished: head.status,
    isRestricted: access.rightsOf(head.accessSet) !== undefined,
    links: await findAccessLinks(api.services, head.id),
    problems: [],
    ...more,
  };
  return formAnswer(linksPage(data, site), status);
}

async function change(call: Call, form: Static<typeof LinkForm>): Promise<Response> {
  const node = await findShared(call);
  const { api, actor } = call;
  const nodeId = node.head.id;
  if (form.revoke !== undefined) {
    const isRevoked = await revokeAccessLink(api.services, { id: parseId(form.revoke) ?? 0, nodeId, by: actor.id });
    return seeOther(
      call,
      pathOf('nodeAccessLinks', { node: nodeId }),
      isRevoked ? 'The link is revoked.' : 'The link was revoked already.',
    );
  }
  const typed = { label: form.label ?? '', lastDay: form.last_day ?? '' };
  try {
    const token = await makeAccessLink(api.services, { ...typed, nodeId, createdBy: actor.id });
    return await show(call, node, { link: linkAddress(call, token) });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.kind !== 'unprocessable') throw error;
    return show(call, node, { typed, problems: [{ message: error.publicMessage }] }, 422);
  }
}

/** Returns the address of a link. No page shows it again: the database holds its digest. */
export function linkAddress({ baseUrl }: Pick<Call, 'baseUrl'>, token: string): string {
  return baseUrl + pathOf('accessLink', { token });
}
