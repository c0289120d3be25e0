import { entityPath, paths } from '../../paths.ts';
import { newestContent } from '../../repository/content/newest-content.ts';
import { mediaOverviewAccess } from '../../repository/core-right.ts';
import type { Action } from '../../representation/action.ts';
import type { ApiServices } from '../api-services.ts';
import type { Call } from '../call.ts';
import { resource } from '../check.ts';
import { fileParams, findFileOr404, removeAccess } from '../files/find-file-or-404.ts';
import { addAction, deletionOf, MAX_ENTRIES } from './action-page.ts';

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
    paths.fileDelete,
    { operation: 'FileDelete', summary: 'Read how to delete a file', params: fileParams },
    fileDeletion,
  );
  return app;
}
