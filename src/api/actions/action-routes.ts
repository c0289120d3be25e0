import { entityPath, paths } from '../../paths.ts';
import { newestContent } from '../../repository/content/newest-content.ts';
import { accountAccess, mediaOverviewAccess } from '../../repository/core-right.ts';
import { listUsers } from '../../repository/users/find-user.ts';
import type { Action } from '../../representation/action.ts';
import type { ApiServices } from '../api-services.ts';
import type { Call } from '../call.ts';
import { resource } from '../check.ts';
import { fileParams, findFileOr404, removeAccess } from '../files/find-file-or-404.ts';
import { findUserOr404, userParams } from '../users/user-routes.ts';
import { type Answer, addAction, deletionOf, MAX_ENTRIES } from './action-page.ts';

async function mediaOverview(call: Call): Promise<Action> {
  const { api, actor, baseUrl } = call;
  call.allow(mediaOverviewAccess(actor));
  const newest = await newestContent(api.services, api.kinds.media, actor, MAX_ENTRIES);
  return {
    heading: 'Media',
    text: `The newest media, at most ${MAX_ENTRIES}.`,
    commands: [],
    entries: newest.map(({ id, label }) => ({ label: `${id}: ${label}`, href: baseUrl + entityPath.media(id) })),
  };
}

/** Returns the page of an account with the commands for the server: accounts cannot be changed over HTTP. */
function account(heading: string, commands: (name: string) => readonly string[]): Answer {
  return async (call) => {
    const { row } = await findUserOr404(call);
    call.allow(accountAccess(call.actor));
    const entries = [{ label: row.name, href: call.baseUrl + entityPath.user(row.id) }];
    return {
      heading: `${heading} ${row.name}`,
      text: 'Accounts are managed on the server.',
      commands: commands(row.name),
      entries,
    };
  };
}

async function accounts(call: Call): Promise<Action> {
  call.allow(accountAccess(call.actor));
  const users = await listUsers(call.api.services.database);
  return {
    heading: 'People',
    text: 'Accounts are managed on the server.',
    commands: ['repo user list', 'repo user add NAME'],
    entries: users.map(({ id, name }) => ({ label: name, href: call.baseUrl + entityPath.user(id) })),
  };
}

async function fileDeletion(call: Call): Promise<Action> {
  const file = await findFileOr404(call);
  call.allow(removeAccess(call, file));
  return deletionOf(call, `Delete ${file.row.filename}`, `/entity/file/${file.row.id}`, []);
}

/** Routes of the pages of core links, which show the request or command instead of a form. */
export function actionRoutes(api: ApiServices) {
  const app = resource(api);
  addAction(
    app,
    paths.mediaOverview,
    { operation: 'MediaOverview', summary: 'Read the list of the newest media' },
    mediaOverview,
  );
  addAction(
    app,
    paths.userEdit,
    { operation: 'UserEdit', summary: 'Read how to change an account', params: userParams },
    account('Edit', (name) => [`repo user passwd ${name}`, `repo user role ${name} add ROLE`]),
  );
  addAction(
    app,
    paths.userCancel,
    { operation: 'UserCancel', summary: 'Read how to block an account', params: userParams },
    account('Block', (name) => [`repo user block ${name}`]),
  );
  addAction(app, paths.users, { operation: 'Users', summary: 'Read the list of accounts' }, accounts);
  addAction(
    app,
    paths.fileDelete,
    { operation: 'FileDelete', summary: 'Read how to delete a file', params: fileParams },
    fileDeletion,
  );
  return app;
}
