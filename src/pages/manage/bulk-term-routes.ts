import { Type as t } from '@sinclair/typebox';
import { paths } from '../../paths.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { answered, describe } from '../../web/openapi/describe.ts';
import { queryOf } from '../../web/parameters.ts';
import { completions, completionsAnswer, requireUser } from '../edit/completion-routes.ts';
import { termField } from './bulk-term.ts';

/** The route of completions for the term of a change of many items. */
export const bulkTermRoutes = (api: ApiServices) =>
  resource(api).get(paths.bulkTerms, async ({ call, query }) => answer(call, query.q ?? ''), {
    check: { access: requireUser },
    params: t.Object({
      entity_type: t.String({ description: 'node or media.' }),
      field_name: t.String({ description: 'The machine name of a field of terms.' }),
    }),
    query: queryOf({ q: t.Optional(t.String({ description: 'The beginning of a name, or a part of it.' })) }),
    detail: describe({
      operationId: 'completeBulkTerm',
      tag: 'pages',
      summary: 'Complete the name of a term that is added to many items',
      description: 'Terms of all vocabularies that the field has in any type, which the caller may view.',
      isForAnyone: false,
      responses: answered('At most ten.', completions),
      failures: [403, 404],
    }),
  });

async function answer(call: Call, text: string): Promise<Response> {
  const { entity_type: kind = '', field_name = '' } = call.params;
  if (kind !== 'node' && kind !== 'media') throw call.notFound('entity_type');
  const definition = termField(call, kind, field_name);
  if (definition === undefined) throw call.notFound('field_name');
  return completionsAnswer(call, definition, text);
}
