import { Type as t } from '@sinclair/typebox';
import { createTermOnce } from '../../authorities/create-term-once.ts';
import { closed } from '../../field-types/schemas.ts';
import { entityPath, paths } from '../../paths.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { answered, created, describe } from '../../web/openapi/describe.ts';
import { json } from '../../web/respond.ts';

const newTerm = t.Object(
  { name: t.String({ minLength: 1, description: 'The name, at most 255 characters.' }) },
  { additionalProperties: false },
);

const term = closed({
  id: t.Integer(),
  name: t.String(),
  text: t.String({ description: 'The name with the number, as a form takes it.' }),
});

/** The route that creates a term by its name alone, once. */
export const namedTermRoutes = (api: ApiServices) =>
  resource(api).post(paths.namedTerm, async ({ call, body }) => answer(call, body.name.trim()), {
    check: { json: true, access: mayCreate },
    params: t.Object({ taxonomy_vocabulary: t.String({ description: 'The machine name of the vocabulary.' }) }),
    body: newTerm,
    detail: describe({
      operationId: 'createNamedTerm',
      tag: 'content',
      summary: 'Create a term by its name, once',
      description:
        'If the vocabulary has a published term with the name, in any case, that one is the answer, with status 200.',
      isForAnyone: false,
      responses: { ...created('The new term.', term), ...answered('The term that has the name already.', term) },
      failures: [400, 403, 404, 413, 422, 507],
    }),
  });

function mayCreate(call: Call): void {
  const vocabulary = call.params.taxonomy_vocabulary ?? '';
  if (!call.api.services.model.vocabularies.has(vocabulary)) throw call.notFound('taxonomy_vocabulary');
  call.allow(call.api.kinds.taxonomy_term.access.create(call.actor, vocabulary));
}

async function answer(call: Call, name: string): Promise<Response> {
  const { api, actor, baseUrl } = call;
  const vocabulary = api.services.model.vocabularies.get(call.params.taxonomy_vocabulary ?? '');
  if (vocabulary === undefined) throw call.notFound('taxonomy_vocabulary');
  const made = await createTermOnce(api.services, actor, api.kinds.taxonomy_term, vocabulary, name);
  const body = JSON.stringify({ id: made.id, name: made.label, text: `${made.label} (${made.id})` });
  const headers = { Location: `${baseUrl}${entityPath.taxonomy_term(made.id)}` };
  return made.isNew ? json(body, 201, headers) : json(body);
}
