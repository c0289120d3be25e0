import { paths } from '../../paths.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { fileParams, findFileOr404, removeAccess } from '../../web/find-file-or-404.ts';
import type { Action } from './action-page.tsx';
import { addAction, deletionOf } from './action-page.tsx';

async function fileDeletion(call: Call): Promise<Action> {
  const file = await findFileOr404(call);
  call.allow(removeAccess(call, file));
  return deletionOf(call, `Delete ${file.row.filename}`, `/entity/file/${file.row.id}`, []);
}

/** Routes of the pages of core links, which show the request or command instead of a form. */
export function actionRoutes(api: ApiServices) {
  const app = resource(api);
  addAction(app, paths.fileDelete, fileDeletion, fileParams);
  return app;
}
