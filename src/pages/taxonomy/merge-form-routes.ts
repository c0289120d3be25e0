import { type Static, Type as t } from '@sinclair/typebox';
import { ServiceError } from '../../base/errors.ts';
import { countInWords } from '../../base/in-words.ts';
import { entityPath, paths } from '../../paths.ts';
import { type Content, open } from '../../repository/content/content.ts';
import { definitionOf } from '../../repository/content/kinds.ts';
import { countUses } from '../../repository/merged-terms.ts';
import { otherNamesField } from '../../repository/terms/kept-values.ts';
import { replaceTerm } from '../../repository/terms/merge-term.ts';
import { termReplacementAccess } from '../../repository/terms/replacement-access.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { findOr404 } from '../../web/find-content-or-404.ts';
import { formAnswer, seeOther } from '../../web/form-answer.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { id, queryOf } from '../../web/parameters.ts';
import { resolveTarget } from '../edit/resolve-target.ts';
import type { FormProblem } from '../forms/error-summary.tsx';
import { mergePage } from './merge-page.tsx';

const params = t.Object({
  taxonomy_vocabulary: t.String({ description: 'The machine name of the vocabulary.' }),
  taxonomy_term: id('The id of the term.'),
});
const body = t.Object({
  into: t.String({ description: 'The term that replaces it.' }),
  keep: t.Optional(t.String({ description: '`1` to keep the term without uses.' })),
});

/** The routes of the form that merges a term into another one. */
export const mergeFormRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.termMergeForm, async ({ call, query }) => show(call, await findMergeable(call), query.into), {
      check: { formats: PAGE_FORMATS },
      params,
      query: queryOf({ into: t.Optional(t.String({ description: 'The name of the term that replaces it.' })) }),
    })
    .post(paths.termMergeForm, async ({ call, body }) => merge(call, body), {
      check: { form: 'signed', formats: PAGE_FORMATS, access: findMergeable },
      params,
      body,
    });

/** Returns the term of the path. Throws 401 or 403 for a caller who may not change it. */
async function findMergeable(call: Call): Promise<Content> {
  const term = await findOr404(call, 'taxonomy_term');
  if (term.bundle.name !== call.params.taxonomy_vocabulary) throw call.notFound('taxonomy_term');
  call.allow(term.kind.access.view(call.actor, term.head));
  call.allow(term.kind.access.update(call.actor, term.head));
  return term;
}

/** The sent form, and why it was refused. */
interface RefusedMerge {
  readonly keeps: boolean;
  readonly message: string;
}

async function show(call: Call, term: Content, typed = '', refused?: RefusedMerge): Promise<Response> {
  const { api, actor, site, formToken } = call;
  const { bundle, head } = term;
  const target = typed.trim() === '' ? undefined : await findTarget(call, term, typed);
  const into = typeof target === 'object' && target.kind.access.view(actor, target.head).isAllowed ? target : undefined;
  const message = refused?.message ?? (typeof target === 'string' ? target : undefined);
  const problems: FormProblem[] = message === undefined ? [] : [{ ...(!into && { field: 'into' }), message }];
  const page = mergePage(
    {
      vocabulary: bundle,
      term: { id: head.id, label: open(term).draft.label },
      uses: (await api.services.database.get(countUses({ id: head.id })))?.uses ?? 0,
      ...{ typed, problems, token: formToken, keeps: refused?.keeps ?? false },
      into: into && { id: into.head.id, label: open(into).draft.label },
      keepsName: otherNamesField((into ?? term).bundle) !== undefined,
    },
    site,
  );
  return formAnswer(page, message === undefined ? 200 : 422);
}

/** Returns the term that a text names, or the problem in a sentence. */
async function findTarget(call: Call, term: Content, text: string): Promise<Content | string> {
  const parent = definitionOf(term, 'parent');
  if (parent === undefined) throw new Error('terms have no parent');
  const result = await resolveTarget(call, { ...parent, targetBundles: [term.bundle.name], autoCreate: false }, text);
  if ('problem' in result) return result.problem;
  if (result.id === term.head.id) return 'Choose another term than this one.';
  return (await call.api.findContent('taxonomy_term', result.id)) ?? `The term ${result.id} does not exist.`;
}

async function merge(call: Call, { into: typed, keep }: Static<typeof body>): Promise<Response> {
  const { api, actor } = call;
  const term = await findMergeable(call);
  const target = await findTarget(call, term, typed);
  const keeps = keep === '1';
  if (typeof target === 'string') return show(call, term, typed);
  const from = term.head.id;
  const into = target.head.id;
  try {
    const { label, intoLabel } = await replaceTerm(api, actor, {
      ...{ from, into, keeps },
      check: (one, other, uris) =>
        call.require(
          termReplacementAccess(actor, { from: one.head, into: other.head, uris, keeps }, api.services.configuredUris),
        ),
    });
    const uses = (await api.services.database.get(countUses({ id: from })))?.uses ?? 0;
    const rest = uses === 0 ? '' : ` ${countInWords(uses, 'reference')} ${uses === 1 ? 'follows' : 'follow'}.`;
    const done = keeps ? `Replaced “${label}” by “${intoLabel}”.` : `Merged “${label}” into “${intoLabel}”.`;
    return seeOther(call, entityPath.taxonomy_term(into), done + rest);
  } catch (error) {
    if (!(error instanceof ServiceError) || (error.kind !== 'unprocessable' && error.kind !== 'conflict')) throw error;
    return show(call, term, typed, { keeps, message: error.publicMessage });
  }
}
