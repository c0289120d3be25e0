import { Type as t } from '@sinclair/typebox';
import { closed } from '../../field-types/schemas.ts';
import type { FieldDefinition } from '../../model/content-model.ts';
import { paths } from '../../paths.ts';
import { denied } from '../../repository/access-rule.ts';
import { inBundle } from '../../repository/content/fill/check-values.ts';
import { definitionOf } from '../../repository/content/kinds.ts';
import { MAX_COUNTED_ITEMS } from '../../repository/content/lists/term-facts.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { answered, describe } from '../../web/openapi/describe.ts';
import { queryOf } from '../../web/parameters.ts';
import { json } from '../../web/respond.ts';
import { namesOfLists, namesOfService, type OutsideNames } from './authority-hits.ts';
import { describedTargets, targetText } from './described-targets.ts';
import { type NewTermChoice, newTermChoices } from './new-term-choices.ts';
import { completionsFor } from './resolve-target.ts';

const MAX_COMPLETIONS = 10;
/** A record of an authority list, as forms offer it. */
const authorityHit = closed({
  uri: t.String(),
  name: t.String(),
  match: t.Union([t.String(), t.Null()], {
    description: 'The other name that the text means. Null if it means the name.',
  }),
  kind: t.String({ description: 'person, family, organisation, topic, place, genre, period, title or other.' }),
  years: t.String({ description: 'Such as 1835–1910; empty without dates.' }),
  scope: t.Union([t.String(), t.Null()], { description: 'A note that tells it from others.' }),
  list: t.String({ description: 'The name of its list.' }),
  source: t.String({ description: 'Its authority file, by its name in the content model.' }),
  vocabulary: t.String({ description: 'The machine name of the vocabulary in which it becomes a term.' }),
  bundle: t.String({ description: 'The label of the vocabulary.' }),
  id: t.Union([t.Integer(), t.Null()], { description: 'The number of its term, if there is one.' }),
  creates: t.Boolean({ description: 'True if the caller may make a term of it.' }),
});
const MAX_TEXT_CHARACTERS = 255;
/** The answer about a service: it has no terms of this repository. */
const NOTHING = { completions: [], vocabularies: [] };

/** The completions of a reference. */
export const completions = closed({
  completions: t.Array(
    closed({
      id: t.Integer(),
      text: t.String({ description: 'The name with the number, as a form takes it.' }),
      bundle: t.String({ description: 'The label of its type or vocabulary.' }),
      noun: t.String({ description: 'The word for one of its vocabulary, such as person.' }),
      years: t.String({ description: 'Of a term, such as 1835–1910; empty without dates.' }),
      items: t.Union([t.Integer(), t.Null()], {
        description: `The number of published items of a term, counted up to ${MAX_COUNTED_ITEMS}.`,
      }),
    }),
  ),
  vocabularies: t.Array(
    closed({ name: t.String(), noun: t.String({ description: 'The word for one of its terms.' }) }),
    { description: 'The vocabularies in which the caller may create a term with a new name.' },
  ),
  authorities: t.Array(authorityHit, { description: 'Records of authority lists, or of the asked service.' }),
  services: t.Array(closed({ name: t.String(), label: t.String() }), {
    description: 'The services on the web that have such records, which `service` asks.',
  }),
  notices: t.Array(t.String(), { description: 'Sentences, such as that a service does not answer.' }),
});

/** The route of completions for the references in forms. */
export const completionRoutes = (api: ApiServices) =>
  resource(api).get(paths.completions, async ({ call, query }) => answer(call, query.q ?? '', query.service), {
    check: { access: requireUser },
    params: t.Object({
      entity_type: t.String({ description: 'node, media or taxonomy_term.' }),
      bundle: t.String({ description: 'The machine name of the type or vocabulary.' }),
      field_name: t.String({ description: 'The machine name of the reference.' }),
    }),
    query: queryOf({
      q: t.Optional(t.String({ description: 'The beginning of a name, or a part of it.' })),
      service: t.Optional(t.String({ description: 'A service on the web to ask instead, such as gnd.' })),
    }),
    detail: describe({
      operationId: 'completeReference',
      tag: 'pages',
      summary: 'Complete the name of the target of a reference',
      description:
        'What the caller may view: names that begin with the text first, then terms that contain it; and records of authority lists, which may become terms.',
      isForAnyone: false,
      responses: answered('At most ten of each.', completions),
      failures: [403, 404],
    }),
  });

/** Allows completions to users. */
export function requireUser(call: Call): void {
  call.allow(call.actor.isAuthenticated ? { isAllowed: true } : denied('Only signed-in users fill in forms.'));
}

async function answer(call: Call, text: string, service: string | undefined): Promise<Response> {
  const { entity_type, bundle: name = '', field_name = '' } = call.params;
  const kind = Object.values(call.api.kinds).find(({ type }) => type === entity_type);
  const bundle = kind?.bundles.get(name);
  if (kind === undefined || bundle === undefined) throw call.notFound('bundle');
  const definition = definitionOf({ kind, bundle }, field_name);
  if (definition === undefined) throw call.notFound('field_name');
  const own = inBundle({ kind, bundle }, definition);
  const asked = askedText(text);
  if (service !== undefined)
    return json(JSON.stringify({ ...NOTHING, ...(await namesOfService(call, own, asked, service)) }));
  const names = await namesOfLists(call, own, asked, MAX_COMPLETIONS);
  return completionsAnswer(call, own, asked, names, newTermChoices(call, own));
}

function askedText(text: string): string {
  return text.slice(0, MAX_TEXT_CHARACTERS).toWellFormed();
}

/** Returns the answer with the completions of a text for a reference, with records of authority lists and choices of a new term. */
export async function completionsAnswer(
  call: Call,
  own: FieldDefinition,
  text: string,
  outside: Partial<OutsideNames> = {},
  choices: readonly NewTermChoice[] = [],
): Promise<Response> {
  const targets = await completionsFor(call, own, askedText(text), MAX_COMPLETIONS);
  const { node, taxonomy_term } = call.api.kinds;
  const body = {
    completions: (await describedTargets(call, own, targets)).map(({ noun, years, items = null, ...each }) => ({
      id: each.id,
      text: targetText(each),
      bundle: (taxonomy_term.bundles.get(each.bundle) ?? node.bundles.get(each.bundle))?.label ?? each.bundle,
      ...{ noun, years, items },
    })),
    vocabularies: choices,
    ...{ authorities: [], services: [], notices: [] },
    ...outside,
  };
  return json(JSON.stringify(body));
}
