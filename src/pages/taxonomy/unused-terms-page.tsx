import { siteRoot } from '../../field-types/display/addresses.ts';
import { entityPath, pathOf } from '../../paths.ts';
import type { UnusedTerm } from '../../repository/content/lists/unused-terms.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { DataTable } from '../data-table.tsx';
import { ActionBar, FormToken, formPage } from '../forms/form-page.tsx';

/** The page of the terms of a vocabulary that nothing uses. */
export interface UnusedTermsData {
  readonly vocabulary: { readonly name: string; readonly label: string };
  readonly terms: readonly (UnusedTerm & { readonly mayDelete: boolean })[];
  /** The query of the next page. Undefined at the end. */
  readonly next: string | undefined;
  readonly token: string;
}

/** Returns the page of unused terms, with the form that deletes them. */
export function unusedTermsPage({ vocabulary, terms, next, token }: UnusedTermsData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  const names = { taxonomy_vocabulary: vocabulary.name };
  const path = root + pathOf('unusedTerms', names);
  return formPage({
    site,
    heading: `Unused terms of ${vocabulary.label}`,
    isWide: true,
    styles: ['table.css'],
    crumbs: (
      <nav aria-label="Breadcrumbs">
        <a href={root + pathOf('vocabularyTerms', names)}>{vocabulary.label}</a>
      </nav>
    ),
    lead: <p class="soft">Terms to which nothing refers. Terms of the configuration are not among them.</p>,
    children: (
      <>
        {terms.length === 0 ? (
          <p class="empty">{next === undefined ? 'No unused terms.' : 'No unused terms among these.'}</p>
        ) : (
          <form method="post" action={path}>
            <FormToken token={token} />
            <DataTable label={`Unused terms of ${vocabulary.label}`} class="rows" heads={['Delete', 'Name']}>
              {terms.map(({ id, label, status, mayDelete }) => (
                <tr key={id}>
                  <td>
                    <input
                      type="checkbox"
                      name="term"
                      value={id}
                      disabled={!mayDelete}
                      aria-label={`Delete ${label}`}
                    />
                  </td>
                  <th scope="row">
                    <a href={root + entityPath.taxonomy_term(id)} dir="auto">
                      {label}
                    </a>
                    {!status && <span class="soft"> (not published)</span>}
                  </th>
                </tr>
              ))}
            </DataTable>
            <ActionBar>
              <button class="button danger" type="submit">
                Delete the selected terms permanently
              </button>
            </ActionBar>
          </form>
        )}
        {next !== undefined && (
          <p>
            <a href={`${path}?${next}`}>Look through the next terms</a>
          </p>
        )}
      </>
    ),
  });
}
