import { Type as t } from '@sinclair/typebox';
import { closed } from '../../field-types/schemas.ts';
import type { FieldDefinition } from '../../model/content-model.ts';
import { paths } from '../../paths.ts';
import { denied } from '../../repository/access-rule.ts';
import { inBundle } from '../../repository/content/fill/check-values.ts';
import { definitionOf } from '../../repository/content/kinds.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { answered, describe } from '../../web/openapi/describe.ts';
import { queryOf } from '../../web/parameters.ts';
import { json } from '../../web/respond.ts';
import { completionsFor, newTermBundle, targetText } from './resolve-target.ts';

const MAX_COMPLETIONS = 10;
const MAX_TEXT_CHARACTERS = 255;

/** The completions of a reference. */
export const completions = closed({
  completions: t.Array(
    closed({
      id: t.Integer(),
      text: t.String({ description: 'The name with the number, as a form takes it.' }),
      bundle: t.String({ description: 'The label of its type or vocabulary.' }),
    }),
  ),
  creates: t.Boolean({ description: 'True if the caller may create a term with a new name.' }),
  vocabulary: t.Union([t.String(), t.Null()], { description: 'The machine name of the vocabulary of a new term.' }),
});

/** The route of completions for the references in forms. */
export const completionRoutes = (api: ApiServices) =>
  resource(api).get(paths.completions, async ({ call, query }) => answer(call, query.q ?? ''), {
    check: { access: requireUser },
    params: t.Object({
      entity_type: t.String({ description: 'node, media or taxonomy_term.' }),
      bundle: t.String({ description: 'The machine name of the type or vocabulary.' }),
      field_name: t.String({ description: 'The machine name of the reference.' }),
    }),
    query: queryOf({ q: t.Optional(t.String({ description: 'The beginning of a name, or a part of it.' })) }),
    detail: describe({
      operationId: 'completeReference',
      tag: 'pages',
      summary: 'Complete the name of the target of a reference',
      description: 'What the caller may view: names that begin with the text first, then terms that contain it.',
      isForAnyone: false,
      responses: answered('At most ten.', completions),
      failures: [403, 404],
    }),
  });

/** Allows completions to users. */
export function requireUser(call: Call): void {
  call.allow(call.actor.isAuthenticated ? { isAllowed: true } : denied('Only signed-in users fill in forms.'));
}

async function answer(call: Call, text: string): Promise<Response> {
  const { entity_type, bundle: name = '', field_name = '' } = call.params;
  const kind = Object.values(call.api.kinds).find(({ type }) => type === entity_type);
  const bundle = kind?.bundles.get(name);
  if (kind === undefined || bundle === undefined) throw call.notFound('bundle');
  const definition = definitionOf({ kind, bundle }, field_name);
  if (definition === undefined) throw call.notFound('field_name');
  return completionsAnswer(call, inBundle({ kind, bundle }, definition), text);
}

/** Returns the answer with the completions of a text for a reference. */
export async function completionsAnswer(call: Call, own: FieldDefinition, text: string): Promise<Response> {
  const completions = await completionsFor(
    call,
    own,
    text.slice(0, MAX_TEXT_CHARACTERS).toWellFormed(),
    MAX_COMPLETIONS,
  );
  const labels = [...call.api.kinds.node.bundles.values(), ...call.api.kinds.taxonomy_term.bundles.values()];
  const vocabulary = newTermBundle(call, own);
  const body = {
    completions: completions.map((each) => ({
      id: each.id,
      text: targetText(each),
      bundle: labels.find((label) => label.name === each.bundle)?.label ?? each.bundle,
    })),
    creates: vocabulary !== undefined,
    vocabulary: vocabulary ?? null,
  };
  return json(JSON.stringify(body));
}
