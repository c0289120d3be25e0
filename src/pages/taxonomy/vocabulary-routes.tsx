import { Type as t } from '@sinclair/typebox';
import { countInWords } from '../../base/in-words.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { pathOf, paths } from '../../paths.ts';
import { denied } from '../../repository/access-rule.ts';
import { listVocabulary, termCounts } from '../../repository/content/lists/vocabulary-terms.ts';
import { changeContent } from '../../repository/content/write/save-content.ts';
import { addressWithin } from '../../web/address-within.ts';
import { type Call, parseId } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { formAnswer, seeOther } from '../../web/form-answer.ts';
import { formBody } from '../../web/form-body.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { PAGE_QUERY, pageOrFirst, queryOf } from '../../web/parameters.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { defineAdminPage } from '../admin/define-admin-page.ts';
import type { FormProblem } from '../forms/error-summary.tsx';
import { formPage } from '../forms/form-page.tsx';
import { managedVocabularies, managedVocabulary } from './managed-vocabularies.ts';
import { vocabularyPage, weightField } from './vocabulary-page.tsx';

const TERMS_PER_PAGE = 100;
const WEIGHT = /^-?\d{1,9}$/;

const params = t.Object({ taxonomy_vocabulary: t.String({ description: 'The machine name of the vocabulary.' }) });
const listQuery = queryOf({
  ...PAGE_QUERY,
  q: t.Optional(t.String({ description: 'A part of the names of the terms.' })),
});

interface ListQuery {
  readonly page?: string;
  readonly q?: string;
}

/** The pages on which the terms of vocabularies are managed. Users open those of vocabularies whose terms they may change. */
export const vocabulariesAdminPage = defineAdminPage({
  path: paths.vocabularies,
  label: 'Vocabularies',
  description: 'The lists of names and subjects from which items choose.',
  permission: 'administer taxonomy',
  routes: (api) =>
    resource(api)
      .get(paths.vocabularies, async ({ call }) => showAll(call), { check: { formats: PAGE_FORMATS } })
      .get(paths.vocabularyTerms, async ({ call, query }) => showTerms(call, query), {
        check: { formats: PAGE_FORMATS, access: (call: Call) => managedVocabulary(call) },
        params,
        query: listQuery,
      })
      .post(paths.vocabularyTerms, async ({ call, query, body }) => saveOrder(call, query, body), {
        check: { form: 'signed', formats: PAGE_FORMATS, access: (call: Call) => managedVocabulary(call) },
        params,
        query: listQuery,
        body: formBody((fields) => fields),
      }),
});

async function showAll(call: Call): Promise<Response> {
  const { api, site } = call;
  const managedOnes = managedVocabularies(call);
  call.allow(managedOnes.length > 0 ? { isAllowed: true } : denied('None of your roles manages terms.'));
  const counts = await termCounts(api.services.database);
  const vocabularies = managedOnes.map(({ name, label }) => ({ name, label, terms: counts.get(name) ?? 0 }));
  return formAnswer(vocabulariesPage({ vocabularies }, site));
}

interface SubmittedOrder {
  readonly typed: ReadonlyMap<number, string>;
  readonly messages: readonly FormProblem[];
}

async function showTerms(call: Call, query: ListQuery, sent?: SubmittedOrder): Promise<Response> {
  const { api, actor, site, formToken } = call;
  const { name, label } = managedVocabulary(call);
  const { access } = api.kinds.taxonomy_term;
  const { offset } = pageOrFirst(query, TERMS_PER_PAGE);
  const text = query.q ?? '';
  const { terms, total } = await listVocabulary(api.services.database, {
    ...{ vocabulary: name, text, limit: TERMS_PER_PAGE, offset },
  });
  const page = vocabularyPage(
    {
      ...{ name, label, text, total, typed: new Map(), messages: [], ...sent, token: formToken },
      mayAdd: access.create(actor, name).isAllowed,
      page: offset / TERMS_PER_PAGE,
      pages: Math.ceil(total / TERMS_PER_PAGE),
      terms: terms
        .filter((term) => access.view(actor, term).isAllowed)
        .map((term) => ({
          ...term,
          mayEdit: access.update(actor, term).isAllowed,
          mayDelete: access.remove(actor, term).isAllowed,
        })),
    },
    site,
  );
  return formAnswer(page, sent === undefined ? 200 : 422);
}

/** Saves the weights of the terms of a page that differ from the stored ones. */
async function saveOrder(call: Call, query: ListQuery, fields: URLSearchParams): Promise<Response> {
  const { api, actor } = call;
  const kind = api.kinds.taxonomy_term;
  const { name } = managedVocabulary(call);
  const typed = new Map<number, string>();
  const messages: FormProblem[] = [];
  for (const [field, value] of fields) {
    const id = parseId(field.slice(weightField(0).length - 1));
    if (id === undefined || field !== weightField(id)) continue;
    typed.set(id, value.trim());
    if (!WEIGHT.test(value.trim()))
      messages.push({ field, message: `The weight "${value.slice(0, 20)}" is not a whole number.` });
  }
  if (messages.length > 0) return showTerms(call, query, { typed, messages });
  let changed = 0;
  for (const [id, value] of typed) {
    const term = await api.findContent('taxonomy_term', id);
    if (term === undefined || term.bundle.name !== name) continue;
    const saved = await changeContent(api.services, actor, new Map([['weight', [{ value: Number(value) }]]]), {
      read: async () => (await api.findContent('taxonomy_term', id)) ?? term,
      check: (current) => call.require(kind.access.update(actor, current.head)),
    });
    if (saved.head.version !== term.head.version) changed += 1;
  }
  return seeOther(
    call,
    addressWithin(call.request),
    `Saved the order of ${changed === 1 ? '1 term' : `${changed} terms`}.`,
  );
}

/** The vocabularies that a caller may manage. */
interface VocabulariesData {
  readonly vocabularies: readonly { readonly name: string; readonly label: string; readonly terms: number }[];
}

/** Returns the list of vocabularies. */
function vocabulariesPage({ vocabularies }: VocabulariesData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  return formPage({
    site,
    heading: 'Vocabularies',
    lead: <p>The lists of names and subjects from which items choose.</p>,
    children: (
      <dl class="page-list">
        {vocabularies.map(({ name, label, terms }) => (
          <div key={name}>
            <dt>
              <a href={root + pathOf('vocabularyTerms', { taxonomy_vocabulary: name })}>{label}</a>
            </dt>
            <dd>{countInWords(terms, 'term')}</dd>
          </div>
        ))}
      </dl>
    ),
  });
}
