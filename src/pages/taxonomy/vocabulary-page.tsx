import { countInWords, numberText } from '../../base/in-words.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { entityPath, pathOf, paths } from '../../paths.ts';
import type { ListedTerm } from '../../repository/content/lists/vocabulary-terms.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { Pager } from '../cards/pager.tsx';
import { DataTable } from '../data-table.tsx';
import type { FormProblem } from '../forms/error-summary.tsx';
import { ActionBar, FormToken, formPage } from '../forms/form-page.tsx';

/** A page of the terms of a vocabulary. */
export interface VocabularyData {
  readonly name: string;
  readonly label: string;
  readonly mayAdd: boolean;
  /** The part of a name that is searched for. */
  readonly text: string;
  readonly page: number;
  readonly pages: number;
  readonly total: number;
  readonly terms: readonly (ListedTerm & { readonly mayEdit: boolean; readonly mayDelete: boolean })[];
  /** The weights that were typed, by id. */
  readonly typed: ReadonlyMap<number, string>;
  readonly messages: readonly FormProblem[];
  readonly token: string;
}

/** The name of the field with the weight of a term. */
export const weightField = (term: number) => `weight.${term}`;

/** Returns the page of the terms of a vocabulary, with the form of their order. */
export function vocabularyPage(data: VocabularyData, site: Site): HtmlPage {
  const { name, label, mayAdd, text, page, pages, total, terms, messages, token } = data;
  const root = siteRoot(site.baseUrl);
  const path = root + pathOf('vocabularyTerms', { taxonomy_vocabulary: name });
  const addressOf = (number: number) => {
    const query = new URLSearchParams({ ...(text && { q: text }), ...(number > 0 && { page: String(number) }) });
    return query.size === 0 ? path : `${path}?${query}`;
  };
  return formPage({
    site,
    heading: label,
    errors: messages,
    isWide: true,
    styles: ['table.css'],
    crumbs: (
      <nav aria-label="Breadcrumbs">
        <a href={root + paths.vocabularies}>Vocabularies</a>
      </nav>
    ),
    lead: (
      <p class="soft">
        {countInWords(total, 'term')}
        {text && (
          <>
            {' '}
            with “<bdi>{text}</bdi>” in their name. <a href={path}>Show all</a>
          </>
        )}
      </p>
    ),
    children: (
      <>
        <div class="list-tools">
          <form action={path}>
            <label for="q">Find a term</label>
            <input id="q" class="short" type="search" name="q" value={text} dir="auto" />
            <button class="button quiet" type="submit">
              Find
            </button>
          </form>
          <a href={root + pathOf('similarTerms', { taxonomy_vocabulary: name })}>Similar terms</a>
          <a href={root + pathOf('unusedTerms', { taxonomy_vocabulary: name })}>Unused terms</a>
          {mayAdd && (
            <a class="button" href={root + pathOf('termAddForm', { taxonomy_vocabulary: name })}>
              Add a term
            </a>
          )}
        </div>
        {terms.length === 0 ? (
          <p class="empty">{text ? 'No term has this in its name.' : 'This vocabulary has no terms yet.'}</p>
        ) : (
          <form method="post" action={addressOf(page)} data-keep="unchanged" noValidate>
            <FormToken token={token} />
            <Terms {...data} root={root} />
            <ActionBar>
              <button class="button" type="submit">
                Save the order
              </button>
              <span class="state" role="status" />
            </ActionBar>
          </form>
        )}
        <Pager page={page} pages={pages} addressOf={addressOf} />
      </>
    ),
  });
}

function Terms({ terms, label, typed, messages, root }: VocabularyData & { root: string }) {
  return (
    <DataTable
      label={`Terms of ${label}`}
      class="rows"
      heads={['Name', 'Uses', 'Below', 'Weight: lighter terms come first', 'Actions']}
    >
      {terms.map(({ id, label: name, status, weight, uses, bundle, parents, mayEdit, mayDelete }) => {
        const path = root + entityPath.taxonomy_term(id);
        const field = weightField(id);
        const isWrong = messages.some((each) => each.field === field);
        return (
          <tr key={id}>
            <th scope="row">
              <a href={path} dir="auto">
                {name}
              </a>
              {!status && <span class="soft"> (not published)</span>}
            </th>
            <td>{numberText(uses)}</td>
            <td dir="auto">{parents}</td>
            <td>
              <input
                class="short weight"
                id={field}
                name={field}
                value={typed.get(id) ?? String(weight)}
                inputMode="numeric"
                disabled={!mayEdit}
                aria-label={`Weight of ${name}`}
                {...(isWrong && { 'aria-invalid': 'true' })}
              />
            </td>
            <td class="actions">
              {mayEdit && (
                <a href={`${path}/edit`}>
                  Edit<span class="unseen"> {name}</span>
                </a>
              )}{' '}
              {mayEdit && (
                <a href={root + pathOf('termMergeForm', { taxonomy_vocabulary: bundle, taxonomy_term: id })}>
                  Merge<span class="unseen"> {name}</span>
                </a>
              )}{' '}
              {mayDelete && (
                <a href={`${path}/delete`}>
                  Delete<span class="unseen"> {name}</span>
                </a>
              )}
            </td>
          </tr>
        );
      })}
    </DataTable>
  );
}
