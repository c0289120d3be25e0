import { Type as t } from '@sinclair/typebox';
import { paths } from '../../paths.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { findShown } from '../../web/find-content-or-404.ts';
import { formAnswer } from '../../web/form-answer.ts';
import { PAGE_FORMATS, parametersOf } from '../../web/formats.ts';
import { id } from '../../web/parameters.ts';
import { filesPage } from './files-page.tsx';
import { gatherFilesPage } from './gather-files-page.ts';

/** The route of the page from which the files of an item are changed. */
export const filesPageRoutes = (api: ApiServices) =>
  resource(api).get(paths.nodeFiles, async ({ call }) => show(call), {
    check: { formats: PAGE_FORMATS },
    params: t.Object({ node: id('The id of the node.') }),
  });

async function show(call: Call): Promise<Response> {
  const entity = await findShown(call, 'node', 'always');
  const { kind, head } = entity.content;
  call.allow(kind.access.update(call.actor, head));
  const page = parametersOf(call.request.url).get('page') ?? '';
  const data = await gatherFilesPage(call, entity, /^\d{1,6}$/.test(page) ? Number(page) : 0);
  return formAnswer(filesPage(data, call.site));
}
