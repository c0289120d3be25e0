import { Type as t } from '@sinclair/typebox';
import { closed } from '../../field-types/schemas.ts';
import { entityPath, paths } from '../../paths.ts';
import { withQuery } from '../../repository/addresses/redirect-target.ts';
import { countUses, findMergedInto } from '../../repository/merged-terms.ts';
import { replaceTerm } from '../../repository/terms/merge-term.ts';
import { termReplacementAccess } from '../../repository/terms/replacement-access.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { parametersOf } from '../../web/formats.ts';
import { answered, describe } from '../../web/openapi/describe.ts';
import { id } from '../../web/parameters.ts';
import { empty, json } from '../../web/respond.ts';

const replacement = t.Object(
  {
    into: t.Integer({ minimum: 1, description: 'The id of the term to which the references move.' }),
    keep: t.Optional(t.Boolean({ description: '`true` keeps the first term, without references (default: `false`).' })),
  },
  { additionalProperties: false },
);

const result = closed({
  into: t.Integer({ description: 'The id of the term to which the references move.' }),
  uses: t.Integer({ description: 'The number of references that move in the background.' }),
});

/** The route that merges a term into another one. */
export const mergeRoutes = (api: ApiServices) =>
  resource(api).post(paths.termMerge, async ({ call, body }) => merge(call, body.into, body.keep ?? false), {
    check: { json: true, access: requireUser },
    params: t.Object({ taxonomy_term: id('The id of the term.') }),
    body: replacement,
    detail: describe({
      operationId: 'mergeTerm',
      tag: 'content',
      summary: 'Merge a term into another one',
      description:
        'The other term gets its name, other names and URIs. Its addresses redirect (301). Items show the new name at once; their references move in the background, each with a revision. It cannot be undone. With `keep`, only the references move. 409: it was merged already. 422: the other term is the same one, is below it, does not exist, or has a vocabulary that a field of the references does not accept.',
      isForAnyone: false,
      responses: answered('The merge has begun.', result),
      failures: [400, 403, 404, 409, 413, 422, 507],
    }),
  });

/** Rejects anonymous callers. The terms decide about others. */
function requireUser(call: Call): void {
  call.allow(call.actor.isAuthenticated ? { isAllowed: true } : { isAllowed: false, reason: 'Sign in first.' });
}

async function merge(call: Call, into: number, keeps: boolean): Promise<Response> {
  const { api, actor } = call;
  const { database } = api.services;
  const from = call.id('taxonomy_term');
  const isKnown = (await api.findContent('taxonomy_term', from)) ?? (await findMergedInto(database, from));
  if (isKnown === undefined) throw call.notFound('taxonomy_term');
  await replaceTerm(api, actor, {
    ...{ from, into, keeps },
    check: (one, other, uris) =>
      call.require(
        termReplacementAccess(actor, { from: one.head, into: other.head, uris, keeps }, api.services.configuredUris),
      ),
  });
  const uses = (await database.get(countUses({ id: from })))?.uses ?? 0;
  return json(JSON.stringify({ into, uses }));
}

/** Returns the redirect from the address of a merged term, which has no content. Undefined for another term. */
export async function redirectOfMerged(call: Call): Promise<Response | undefined> {
  const into = await findMergedInto(call.api.services.database, call.id('taxonomy_term'));
  if (into === undefined) return undefined;
  const address = withQuery(`${call.baseUrl}${entityPath.taxonomy_term(into)}`, parametersOf(call.request.url));
  // Browsers would cache a permanent redirect for ever.
  return empty(301, { Location: address, 'Cache-Control': 'must-revalidate, no-cache, private' });
}
