import { type Static, Type as t } from '@sinclair/typebox';
import { pathOf, paths } from '../../paths.ts';
import { moveMedia } from '../../repository/content/write/media-places.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { findOr404, findShown } from '../../web/find-content-or-404.ts';
import { formAnswer, seeOther } from '../../web/form-answer.ts';
import { PAGE_FORMATS, parametersOf } from '../../web/formats.ts';
import { id } from '../../web/parameters.ts';
import { filesPage } from './files-page.tsx';
import { gatherFilesPage } from './gather-files-page.ts';

/** The route of the page from which the files of an item are changed. */
export const filesPageRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.nodeFiles, async ({ call }) => show(call), { check: { formats: PAGE_FORMATS }, params })
    .post(paths.nodeFiles, async ({ call, body }) => move(call, body), {
      check: { form: 'signed', formats: PAGE_FORMATS, access: findChangeable },
      params,
      body: movement,
    });

const params = t.Object({ node: id('The id of the node.') });
const movement = t.Object({
  media: t.String({ pattern: '^[1-9]\\d{0,15}$', description: 'The id of the media that moves.' }),
  to: t.Union([t.Literal('forward'), t.Literal('back')], { description: 'The direction.' }),
});

async function findChangeable(call: Call): Promise<void> {
  const { kind, head } = await findOr404(call, 'node');
  call.allow(kind.access.view(call.actor, head));
  call.allow(kind.access.update(call.actor, head));
}

async function move(call: Call, { media, to }: Static<typeof movement>): Promise<Response> {
  const node = call.id('node');
  await moveMedia(call.api.services, node, Number(media), to);
  return seeOther(call, pathOf('nodeFiles', { node }), 'The order of the files is saved.');
}

async function show(call: Call): Promise<Response> {
  const entity = await findShown(call, 'node', 'always');
  const { kind, head } = entity.content;
  call.allow(kind.access.update(call.actor, head));
  const page = parametersOf(call.request.url).get('page') ?? '';
  const data = await gatherFilesPage(call, entity, /^\d{1,6}$/.test(page) ? Number(page) : 0);
  return formAnswer(filesPage(data, call.site));
}
