import { type TSchema, Type as t } from '@sinclair/typebox';
import { propertiesOf } from '../../authorities/reconcile/term-properties.ts';
import { closed } from '../../field-types/schemas.ts';
import type { Vocabulary } from '../../model/content-model.ts';
import { paths } from '../../paths.ts';
import { completeTerm } from '../../repository/content/lists/complete-target.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { answered, type Description, describe } from '../../web/openapi/describe.ts';
import { queryOf } from '../../web/parameters.ts';
import { json } from '../../web/respond.ts';

const MAX_SUGGESTIONS = 10;
/** Terms that are read for suggestions: the caller may not view each of them. */
const MAX_READ = 40;
const MAX_TEXT_CHARACTERS = 255;

const named = closed({ id: t.String(), name: t.String() });
const query = queryOf({ prefix: t.Optional(t.String({ description: 'The beginning of a name, or a part of it.' })) });
const check = { formats: 'single' } as const;

function described(operationId: string, what: string, schema: TSchema): Description {
  return {
    ...{ operationId, tag: 'search', summary: `Suggest ${what} for a reconciliation`, isForAnyone: true },
    responses: answered('At most ten, or all.', schema),
    failures: [],
  };
}

const result = closed({ result: t.Array(named) });

/** The routes of the Reconciliation API that complete terms, vocabularies and fields in its clients. */
export const reconcileSuggestRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.reconcileEntities, async ({ call, query }) => suggestTerms(call, query.prefix ?? ''), {
      ...{ check, query },
      detail: describe(
        described(
          'suggestReconciledTerm',
          'terms',
          closed({ result: t.Array(closed({ id: t.String(), name: t.String(), notable: t.Array(named) })) }),
        ),
      ),
    })
    .get(paths.reconcileTypes, ({ call, query }) => results(call, vocabulariesNamed(call, query.prefix)), {
      ...{ check, query },
      detail: describe(described('suggestReconciledType', 'vocabularies', result)),
    })
    .get(paths.reconcileSuggestProperties, ({ call, query }) => results(call, propertiesNamed(call, query.prefix)), {
      ...{ check, query },
      detail: describe(described('suggestReconciledProperty', 'fields', result)),
    })
    .get(paths.reconcileProperties, ({ call, query }) => propose(call, query.type), {
      check,
      query: queryOf({
        type: t.Optional(t.String({ description: 'The machine name of a vocabulary.' })),
        limit: t.Optional(t.String({ description: 'Not used: all fields are listed.' })),
      }),
      detail: describe(
        described(
          'proposeReconciledProperties',
          'the fields of a vocabulary',
          closed({ properties: t.Array(named), type: t.Optional(t.String()) }),
        ),
      ),
    });

async function suggestTerms({ api, actor }: Call, prefix: string): Promise<Response> {
  const { services, kinds } = api;
  const { vocabularies } = services.model;
  const text = prefix.slice(0, MAX_TEXT_CHARACTERS).toWellFormed();
  const terms = await completeTerm(services.database, [...vocabularies.keys()], text, MAX_READ);
  const visible = terms.filter((term) => kinds.taxonomy_term.access.view(actor, term).isAllowed);
  const result = visible.slice(0, MAX_SUGGESTIONS).map(({ id, label, bundle }) => ({
    ...{ id: String(id), name: label },
    notable: [{ id: bundle, name: vocabularies.get(bundle)?.label ?? bundle }],
  }));
  return json(JSON.stringify({ result }));
}

function results(_call: Call, result: readonly { readonly id: string; readonly name: string }[]): Response {
  return json(JSON.stringify({ result }));
}

function vocabulariesNamed({ api }: Call, prefix = '') {
  return matching(
    [...api.services.model.vocabularies.values()].map(({ name, label }) => ({ id: name, name: label })),
    prefix,
  );
}

function propertiesNamed({ api }: Call, prefix = '') {
  return matching(propertiesOf(api.services.model.vocabularies.values()), prefix);
}

function matching<Named extends { readonly id: string; readonly name: string }>(all: readonly Named[], prefix: string) {
  const text = prefix.trim().toLowerCase();
  return all.filter(({ id, name }) => name.toLowerCase().includes(text) || id.includes(text));
}

function propose({ api }: Call, type: string | undefined): Response {
  const { vocabularies } = api.services.model;
  const one: Vocabulary | undefined = vocabularies.get(type ?? '');
  const properties = propertiesOf(one === undefined ? vocabularies.values() : [one]);
  return json(JSON.stringify({ properties, ...(one !== undefined && { type: one.name }) }));
}
