import { Type as t } from '@sinclair/typebox';
import { ServiceError } from '../../base/errors.ts';
import { entityPath, paths } from '../../paths.ts';
import type { Content } from '../../repository/content/content.ts';
import { findRevision, findRevisionEntry, revertTo } from '../../repository/revisions/revisions.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { findOr404 } from '../../web/find-content-or-404.ts';
import { seeOther } from '../../web/form-answer.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { id } from '../../web/parameters.ts';
import { timeInWords } from './revision-words.tsx';

type RevisionedType = 'node' | 'media';

const PATHS = { node: paths.nodeRestore, media: paths.mediaRestore } as const;
const form = t.Object({ version: t.Optional(t.String({ description: 'The version that the page has shown.' })) });

/** Routes of the form that brings back a version of a node or media. */
export const restoreRoutes = (api: ApiServices) => {
  const app = resource(api);
  for (const type of ['node', 'media'] as const)
    app.post(PATHS[type], async ({ call, body }) => restore(call, type, body.version), {
      check: { form: 'signed', formats: PAGE_FORMATS, access: (call: Call) => findRestorable(call, type) },
      params: t.Object({
        [type]: id(`The id of the ${type}.`),
        [`${type}_revision`]: id('The id of the revision.'),
      }),
      body: form,
    });
  return app;
};

async function findRestorable(call: Call, type: RevisionedType): Promise<Content> {
  const content = await findOr404(call, type);
  call.allow(content.kind.access.revert(call.actor, content.head));
  return content;
}

async function restore(call: Call, type: RevisionedType, version: string | undefined): Promise<Response> {
  const { api, actor } = call;
  const revisionId = call.id(`${type}_revision`);
  const entry = await findRevisionEntry(api.services, await findRestorable(call, type), revisionId);
  const { head } = await revertTo(
    api.services,
    actor,
    async () => {
      const current = await findOr404(call, type);
      call.require(current.kind.access.revert(actor, current.head));
      if (String(current.head.version) !== version) throw new ServiceError('conflict', SUPERSEDED);
      return current;
    },
    async (current) => {
      const revision = await findRevision(api.services, current, revisionId);
      if (revision === undefined) throw call.notFound(`${type}_revision`);
      call.require(revision.kind.access.view(actor, revision.head));
      return revision;
    },
  );
  return seeOther(call, entityPath[type](head.id), `Brought back the version of ${timeInWords(entry?.created ?? 0)}.`);
}

const SUPERSEDED =
  'Another user has changed this since you opened the page. Nothing is changed. Open its history again.';
