import { Type as t } from '@sinclair/typebox';
import { pathOf, paths } from '../../paths.ts';
import {
  findRolesOfCollection,
  giveCollectionRole,
  takeCollectionRole,
} from '../../repository/access/give-collection-role.ts';
import { rolesToGrant } from '../../repository/account-access.ts';
import { type Content, open } from '../../repository/content/content.ts';
import { accountAccess } from '../../repository/core-right.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { findOr404 } from '../../web/find-content-or-404.ts';
import { formAnswer, seeOther } from '../../web/form-answer.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { id } from '../../web/parameters.ts';
import type { FormProblem } from '../forms/error-summary.tsx';
import { collectionRolesPage } from './collection-roles-page.tsx';

const params = t.Object({ node: id('The id of the node.') });
const form = t.Object({
  user: t.Optional(t.String({ description: 'The name of the user who gets the role.' })),
  role: t.Optional(t.String({ description: 'The machine name of the role.' })),
  take: t.Optional(t.String({ description: 'The id of the user who loses the role.' })),
});

interface Sent {
  readonly user?: string;
  readonly role?: string;
  readonly take?: string;
}

/** The routes of the page on which roles for a collection are given and taken away. */
export const collectionRolesRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.nodeRoles, async ({ call }) => pageOf(call, await findManaged(call)), {
      check: { formats: PAGE_FORMATS, access: findManaged },
      params,
    })
    .post(paths.nodeRoles, async ({ call, body }) => save(call, body), {
      check: { form: 'signed', formats: PAGE_FORMATS, access: findManaged },
      params,
      body: form,
    });

/** Returns the node of the path. Throws 401 or 403 for a caller who may not manage accounts. */
async function findManaged(call: Call): Promise<Content> {
  const node = await findOr404(call, 'node');
  call.allow(node.kind.access.view(call.actor, node.head));
  call.allow(accountAccess(call.actor));
  return node;
}

async function pageOf(call: Call, node: Content, sent: Sent = {}, errors: FormProblem[] = []): Promise<Response> {
  const { services } = call.api;
  const { roles } = services.model;
  const mayGive = rolesToGrant(call.actor, services.model);
  const labelled = (role: string) => ({ role, label: roles.get(role)?.label ?? role });
  const held = await findRolesOfCollection(services.database, node.head.id);
  const page = collectionRolesPage(
    {
      ...{ id: node.head.id, title: open(node).draft.label, token: call.formToken, errors },
      held: held.map((each) => ({ ...each, ...labelled(each.role), mayTake: mayTake(call, each.role) })),
      roles: mayGive.map(labelled),
      typed: { user: sent.user ?? '', role: sent.role ?? '' },
    },
    call.site,
  );
  return formAnswer(page, errors.length > 0 ? 422 : 200);
}

/** A role that the model no longer has permits nothing. */
function mayTake({ actor, api }: Call, role: string): boolean {
  const { model } = api.services;
  return !model.roles.has(role) || rolesToGrant(actor, model).includes(role);
}

async function save(call: Call, sent: Sent): Promise<Response> {
  const node = await findManaged(call);
  const { services } = call.api;
  const { user: name = '', role = '', take } = sent;
  const [nid, path] = [node.head.id, pathOf('nodeRoles', { node: node.head.id })];
  const isOpen = take === undefined ? rolesToGrant(call.actor, services.model).includes(role) : mayTake(call, role);
  if (!isOpen) return pageOf(call, node, sent, [{ field: 'role', message: 'Choose a role that you may give.' }]);
  if (take !== undefined) {
    await takeCollectionRole(services, { nid, userId: Number(take), role });
    return seeOther(call, path, 'The role is taken away.');
  }
  const user = await call.api.findUser.byName(name.trim());
  if (user === undefined || user.row.deletedAt !== null || user.row.id === 0)
    return pageOf(call, node, sent, [{ field: 'user', message: `There is no user “${name.trim()}”.` }]);
  await giveCollectionRole(services, { nid, userId: user.row.id, role });
  return seeOther(call, path, 'The role is given.');
}
