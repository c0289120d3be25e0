import { Type as t } from '@sinclair/typebox';
import { ServiceError } from '../../base/errors.ts';
import { changeWithMembers } from '../../bulk/change-with-members.ts';
import { findMembers } from '../../bulk/find-members.ts';
import { entityPath, pathOf, paths } from '../../paths.ts';
import { atNode } from '../../repository/actor-at.ts';
import { refusedChange } from '../../repository/content/base-field.ts';
import { type Content, open } from '../../repository/content/content.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { findOr404 } from '../../web/find-content-or-404.ts';
import { formAnswer, seeOther } from '../../web/form-answer.ts';
import { PAGE_FORMATS, parametersOf } from '../../web/formats.ts';
import { id } from '../../web/parameters.ts';
import { gatherMembersOf, scopeIn } from './gather-members.ts';
import { type Publication, publicationPage } from './publication-page.tsx';

const params = t.Object({ node: id('The id of the node.') });
const form = t.Object({
  action: t.Optional(t.String({ description: '`publish` or `unpublish`.' })),
  members: t.Optional(t.String({ description: '`none`, `pages` or `all`.' })),
  version: t.Optional(t.String({ description: 'The version of the node that the page has shown.' })),
});

/** The routes of the page on which a node is published or unpublished, with the members that follow. */
export const publicationRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.nodePublication, async ({ call }) => show(call), {
      check: { formats: PAGE_FORMATS, access: findPublishable },
      params,
    })
    .post(paths.nodePublication, async ({ call, body }) => save(call, body), {
      check: { form: 'signed', formats: PAGE_FORMATS, access: findPublishable },
      params,
      body: form,
    });

/** Returns the node of the path. Throws 401 or 403 for a caller who may not publish it. */
async function findPublishable(call: Call): Promise<Content> {
  const node = await findOr404(call, 'node');
  const { kind, head } = node;
  call.allow(kind.access.view(call.actor, head));
  call.allow(kind.access.update(call.actor, head));
  const status = kind.baseFieldNamed.get('status');
  const refusal = status && refusedChange(status.update, atNode(call.actor, head));
  call.allow(refusal === undefined ? { isAllowed: true } : { isAllowed: false, reason: refusal });
  call.content = node;
  return node;
}

async function show(call: Call): Promise<Response> {
  const node = call.content ?? (await findPublishable(call));
  const asked = parametersOf(call.request.url).get('action');
  return pageOf(call, node, asked === 'publish' || asked === 'unpublish' ? asked : actionFor(node));
}

const actionFor = ({ head }: Content) => (head.status ? 'unpublish' : 'publish');

async function pageOf(
  call: Call,
  node: Content,
  action: Publication['action'],
  problem?: string,
  status = 200,
): Promise<Response> {
  const data: Publication = {
    ...{ id: node.head.id, title: open(node).draft.label, action, token: call.formToken, problem },
    isDone: node.head.status === (action === 'publish'),
    version: node.head.version,
    members: await gatherMembersOf(call, node, action),
  };
  return formAnswer(publicationPage(data, call.site), status);
}

async function save(
  call: Call,
  { action: typed, members, version }: { action?: string; members?: string; version?: string },
): Promise<Response> {
  const { api, actor } = call;
  const node = call.content ?? (await findPublishable(call));
  const { id: nodeId } = node.head;
  const action = typed === 'publish' ? 'publish' : 'unpublish';
  const scope = scopeIn(members);
  if (String(node.head.version) !== version) return pageOf(call, node, action, SUPERSEDED, 409);
  const plan = await findMembers(api.services, actor, { action, scope, chosen: [nodeId] });
  const { run, state, reason } = await changeWithMembers(api, actor, {
    ...{ node, action, members: plan, parameters: { members: scope } },
    require(current) {
      if (current.head.version !== node.head.version) throw new ServiceError('conflict', SUPERSEDED);
    },
  });
  if (state === 'failed' || state === 'skipped')
    return pageOf(call, node, action, reason ?? 'It could not be changed.', 409);
  api.bulk.wake();
  const hasMembers = plan.following.length + plan.kept.length > 0;
  if (hasMembers) return seeOther(call, pathOf('bulkRun', { run }));
  return seeOther(call, entityPath.node(nodeId), action === 'publish' ? 'Published.' : 'Unpublished.');
}

const SUPERSEDED = 'Another user has changed this item since you opened the page. Nothing is changed yet.';
