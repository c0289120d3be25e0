import { Type as t } from '@sinclair/typebox';
import { paths } from '../../paths.ts';
import { open } from '../../repository/content/content.ts';
import { findAllContent } from '../../repository/content/read/find-content.ts';
import type { SimilarPair } from '../../repository/terms/similar-names.ts';
import { findSimilarReport, startSimilarReport } from '../../repository/terms/similar-terms.ts';
import { addressWithin } from '../../web/address-within.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { formAnswer, seeOther } from '../../web/form-answer.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { managedVocabulary } from './managed-vocabularies.ts';
import { similarTermsPage } from './similar-terms-page.tsx';

const params = t.Object({ taxonomy_vocabulary: t.String({ description: 'The machine name of the vocabulary.' }) });

/** The routes of the report of similar terms. */
export const similarTermsRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.similarTerms, async ({ call }) => show(call), {
      check: { formats: PAGE_FORMATS, access: (call: Call) => managedVocabulary(call) },
      params,
    })
    .post(paths.similarTerms, async ({ call }) => compare(call), {
      check: { form: 'signed', formats: PAGE_FORMATS, access: (call: Call) => managedVocabulary(call) },
      params,
      body: t.Object({}),
    });

async function show(call: Call): Promise<Response> {
  const { api, site, formToken } = call;
  const { database } = api.services;
  const { name, label } = managedVocabulary(call);
  const run = await findSimilarReport(database, name);
  const data = {
    vocabulary: { name, label },
    report: run && { isRunning: run.endedAt === null, createdAt: run.createdAt, names: run.progress ?? 0 },
    pairs: await presentPairs(call, run?.result ?? []),
    token: formToken,
  };
  return formAnswer(similarTermsPage(data, site));
}

/** Returns the pairs whose terms still exist and which the caller may view, with their present names. */
async function presentPairs({ api, actor }: Call, pairs: readonly SimilarPair[]): Promise<SimilarPair[]> {
  const ids = new Set(pairs.flatMap(({ one, other }) => [one.id, other.id]));
  const terms = await findAllContent(api.services.database, api.kinds.taxonomy_term, [...ids]);
  const labels = new Map(
    terms
      .filter(({ kind, head }) => kind.access.view(actor, head).isAllowed)
      .map((term) => [term.head.id, open(term).draft.label]),
  );
  return pairs.flatMap(({ one, other, difference }) => {
    const [first, second] = [labels.get(one.id), labels.get(other.id)];
    if (first === undefined || second === undefined) return [];
    return [{ one: { ...one, label: first }, other: { ...other, label: second }, difference }];
  });
}

async function compare(call: Call): Promise<Response> {
  const { api, actor, request } = call;
  await startSimilarReport(api.services, actor, managedVocabulary(call).name);
  return seeOther(call, addressWithin(request), 'The terms are being compared.');
}
