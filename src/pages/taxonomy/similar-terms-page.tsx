import { countInWords } from '../../base/in-words.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { entityPath, pathOf } from '../../paths.ts';
import { MAX_PAIRS, type NamedTerm, type SimilarPair } from '../../repository/terms/similar-names.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { DataTable } from '../data-table.tsx';
import { FormToken, formPage } from '../forms/form-page.tsx';
import { timeText } from '../manage/manage-words.ts';

/** The report of terms of a vocabulary that may be the same. */
export interface SimilarTermsData {
  readonly vocabulary: { readonly name: string; readonly label: string };
  /** Undefined before the first report. */
  readonly report: { readonly isRunning: boolean; readonly createdAt: number; readonly names: number } | undefined;
  readonly pairs: readonly SimilarPair[];
  readonly token: string;
}

const DIFFERENCES: Readonly<Record<SimilarPair['difference'], string>> = {
  writing: 'Writing: case, accents or punctuation',
  order: 'Order of the words',
  dates: 'Dates',
  letter: 'One letter',
};

/** Returns the page of the report, with links to the merge of each pair in both directions. */
export function similarTermsPage({ vocabulary, report, pairs, token }: SimilarTermsData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  const names = { taxonomy_vocabulary: vocabulary.name };
  const path = root + pathOf('similarTerms', names);
  const mergePath = (from: NamedTerm, into: NamedTerm) => {
    const query = new URLSearchParams({ into: `${into.label} (${into.id})` });
    return `${root}${pathOf('termMergeForm', { ...names, taxonomy_term: from.id })}?${query}`;
  };
  const isRunning = report?.isRunning === true;
  return formPage({
    site,
    heading: `Similar terms of ${vocabulary.label}`,
    isWide: true,
    styles: ['table.css'],
    crumbs: (
      <nav aria-label="Breadcrumbs">
        <a href={root + pathOf('vocabularyTerms', names)}>{vocabulary.label}</a>
      </nav>
    ),
    lead: (
      <p class="soft">
        Names that differ in writing, in the order of their words, in dates or in one letter: at most {MAX_PAIRS} pairs.
      </p>
    ),
    children: (
      <>
        <form method="post" action={path}>
          <FormToken token={token} />
          <p role="status">
            {report === undefined && 'The terms have not been compared yet.'}
            {isRunning && (
              <>
                The terms are being compared: {countInWords(report.names, 'name')} so far. <a href={path}>Refresh</a>
              </>
            )}
            {report !== undefined &&
              !isRunning &&
              `Compared ${countInWords(report.names, 'name')} on ${timeText(report.createdAt)} (UTC).`}
          </p>
          <button class="button quiet" type="submit" disabled={isRunning}>
            {report === undefined ? 'Compare the terms' : 'Compare the terms again'}
          </button>
        </form>
        {report !== undefined && !isRunning && pairs.length === 0 && <p class="empty">No similar terms are left.</p>}
        {pairs.length > 0 && (
          <DataTable
            label={`Similar terms of ${vocabulary.label}`}
            class="rows"
            heads={['First term', 'Second term', 'Difference', 'Actions']}
          >
            {pairs.map(({ one, other, difference }) => (
              <tr key={`${one.id} ${other.id}`}>
                <th scope="row">
                  <Name term={one} root={root} />
                </th>
                <td>
                  <Name term={other} root={root} />
                </td>
                <td>{DIFFERENCES[difference]}</td>
                <td class="actions">
                  <a href={mergePath(other, one)}>
                    Keep the first
                    <span class="unseen">
                      : merge {other.label} into {one.label}
                    </span>
                  </a>{' '}
                  <a href={mergePath(one, other)}>
                    Keep the second
                    <span class="unseen">
                      : merge {one.label} into {other.label}
                    </span>
                  </a>
                </td>
              </tr>
            ))}
          </DataTable>
        )}
      </>
    ),
  });
}

function Name({ term: { id, label }, root }: { readonly term: NamedTerm; readonly root: string }) {
  return (
    <a href={root + entityPath.taxonomy_term(id)} dir="auto">
      {label}
    </a>
  );
}
