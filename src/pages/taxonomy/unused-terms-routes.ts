import { Type as t } from '@sinclair/typebox';
import { countInWords } from '../../base/in-words.ts';
import { paths } from '../../paths.ts';
import { termUriAccess } from '../../repository/access.ts';
import { foldLabel } from '../../repository/content/content.ts';
import { findUnusedTerms } from '../../repository/content/lists/unused-terms.ts';
import { removeContent } from '../../repository/content/write/remove-content.ts';
import { countUses } from '../../repository/merged-terms.ts';
import { addressWithin } from '../../web/address-within.ts';
import type { ApiServices } from '../../web/api-services.ts';
import { type Call, parseId } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { formAnswer, seeOther } from '../../web/form-answer.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { queryOf } from '../../web/parameters.ts';
import { managedVocabulary } from './managed-vocabularies.ts';
import { unusedTermsPage } from './unused-terms-page.tsx';

/** Maximum number of terms of a page, and of those that one form deletes. */
const MAX_TERMS = 100;

const params = t.Object({ taxonomy_vocabulary: t.String({ description: 'The machine name of the vocabulary.' }) });
const query = queryOf({
  after: t.Optional(t.String({ description: 'The name after which the terms begin.' })),
  id: t.Optional(t.String({ description: 'The id of the term with this name.' })),
});

/** The routes of the page of terms that nothing uses. */
export const unusedTermsRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.unusedTerms, async ({ call, query }) => show(call, query.after ?? '', parseId(query.id ?? '') ?? 0), {
      check: { formats: PAGE_FORMATS, access: (call: Call) => managedVocabulary(call) },
      ...{ params, query },
    })
    .post(paths.unusedTerms, async ({ call, body }) => remove(call, body.term), {
      check: { form: 'signed', formats: PAGE_FORMATS, access: (call: Call) => managedVocabulary(call) },
      ...{ params, query },
      body: t.Object({ term: t.Array(t.String(), { description: 'The ids of the terms to delete.' }) }),
    });

async function show(call: Call, after: string, afterId: number): Promise<Response> {
  const { api, actor, site, formToken } = call;
  const { name, label } = managedVocabulary(call);
  const { access } = api.kinds.taxonomy_term;
  const window = { vocabulary: name, after, afterId };
  const { terms, next } = await findUnusedTerms(api.services.database, window, api.services.configuredUris);
  const shown = terms.filter((term) => access.view(actor, term).isAllowed);
  const last = shown.length > MAX_TERMS ? shown[MAX_TERMS - 1] : undefined;
  const end = last === undefined ? next : { after: foldLabel(last.label), afterId: last.id };
  const place = end && new URLSearchParams({ after: end.after, id: String(end.afterId) });
  const data = {
    vocabulary: { name, label },
    terms: shown.slice(0, MAX_TERMS).map((term) => ({ ...term, mayDelete: access.remove(actor, term).isAllowed })),
    next: place?.toString(),
    token: formToken,
  };
  return formAnswer(unusedTermsPage(data, site));
}

/** Deletes the terms that are still unused. */
async function remove(call: Call, selected: readonly string[]): Promise<Response> {
  const { api, actor } = call;
  const { services } = api;
  const { name } = managedVocabulary(call);
  let removed = 0;
  for (const id of new Set(selected.slice(0, MAX_TERMS).map((text) => parseId(text) ?? 0))) {
    const term = await api.findContent('taxonomy_term', id);
    const isUsed = ((await services.database.get(countUses({ id })))?.uses ?? 0) > 0;
    if (term === undefined || term.bundle.name !== name || isUsed) continue;
    await removeContent(
      services,
      async () => (await api.findContent('taxonomy_term', id)) ?? term,
      (current, uris) => {
        call.require(current.kind.access.remove(actor, current.head));
        call.require(termUriAccess(actor, uris, services.configuredUris));
      },
    );
    removed += 1;
  }
  return seeOther(call, addressWithin(call.request), `Deleted ${countInWords(removed, 'term')}.`);
}
