import { type Static, Type as t } from '@sinclair/typebox';
import { findAuthority } from '../../authorities/complete-authority.ts';
import { takeOver } from '../../authorities/take-over.ts';
import { unprocessable } from '../../base/errors.ts';
import { closed } from '../../field-types/schemas.ts';
import type { Vocabulary } from '../../model/content-model.ts';
import { entityPath, paths } from '../../paths.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { answered, created, describe } from '../../web/openapi/describe.ts';
import { json } from '../../web/respond.ts';

const MAX_URI_CHARACTERS = 2_048;

const newTerm = t.Object(
  {
    uri: t.String({ minLength: 1, maxLength: MAX_URI_CHARACTERS, description: 'The URI of the record.' }),
    service: t.Optional(t.String({ maxLength: 20, description: 'The service on the web that has it.' })),
    q: t.Optional(t.String({ maxLength: 255, description: 'The text for which the service has it.' })),
  },
  { additionalProperties: false },
);

const term = closed({
  id: t.Integer(),
  name: t.String(),
  text: t.String({ description: 'The name with the number, as a form takes it.' }),
});

/** The route that makes a term of a record of an authority list. */
export const authorityTermRoutes = (api: ApiServices) =>
  resource(api).post(paths.authorityTerm, async ({ call, body }) => answer(call, body), {
    check: { json: true, access: mayCreate },
    params: t.Object({ taxonomy_vocabulary: t.String({ description: 'The machine name of the vocabulary.' }) }),
    body: newTerm,
    detail: describe({
      operationId: 'createTermOfAuthority',
      tag: 'content',
      summary: 'Make a term of a record of an authority list',
      description:
        'The term has the name, the URI, the other names and the dates of the record. If the vocabulary has a term with the URI, that one is the answer, with status 200.',
      isForAnyone: false,
      responses: { ...created('The new term.', term), ...answered('The term that has the URI already.', term) },
      failures: [400, 403, 404, 413, 422, 507],
    }),
  });

function mayCreate(call: Call): void {
  const vocabulary = call.params.taxonomy_vocabulary ?? '';
  if (!call.api.services.model.vocabularies.has(vocabulary)) throw call.notFound('taxonomy_vocabulary');
  call.allow(call.api.kinds.taxonomy_term.access.create(call.actor, vocabulary));
}

/** Returns the record of a service. Throws `unprocessable` with its sentence if it does not answer. */
async function findLive(call: Call, vocabulary: Vocabulary, { uri, service, q }: Required<Static<typeof newTerm>>) {
  const { hits, notice } = await call.api.authorities.search(service, [vocabulary], q);
  if (notice !== undefined) throw unprocessable(notice);
  return hits.find(({ record }) => record.uri === uri);
}

async function answer(call: Call, { uri, service, q = '' }: Static<typeof newTerm>): Promise<Response> {
  const { api, actor, baseUrl } = call;
  const vocabulary = api.services.model.vocabularies.get(call.params.taxonomy_vocabulary ?? '');
  if (vocabulary === undefined) throw call.notFound('taxonomy_vocabulary');
  const authority =
    service === undefined
      ? await findAuthority(api.services.database, uri)
      : await findLive(call, vocabulary, { uri, service, q });
  if (authority === undefined) throw unprocessable(`No authority list has a record ${uri}.`);
  const { record, source } = authority;
  const made = await takeOver(api.services, actor, api.kinds.taxonomy_term, { vocabulary, record, source });
  const body = JSON.stringify({ id: made.id, name: made.label, text: `${made.label} (${made.id})` });
  const headers = { Location: `${baseUrl}${entityPath.taxonomy_term(made.id)}` };
  return made.isNew ? json(body, 201, headers) : json(body);
}
