import { paths } from '../../paths.ts';
import type { Action } from '../../representation/action.ts';
import type { ApiServices } from '../api-services.ts';
import type { Call } from '../call.ts';
import { resource } from '../check.ts';
import { fileParams, findFileOr404, removeAccess } from '../files/find-file-or-404.ts';
import { addAction, deletionOf } from './action-page.ts';

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
    paths.fileDelete,
    { operation: 'FileDelete', summary: 'Read how to delete a file', params: fileParams },
    fileDeletion,
  );
  return app;
}
