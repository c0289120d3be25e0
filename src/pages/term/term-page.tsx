import { languageOf, langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { entityPath } from '../../paths.ts';
import type { CardPage } from '../../repository/content/lists/find-cards.ts';
import type { NarrowerTerms as FoundTerms } from '../../repository/content/lists/find-narrower-terms.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { PageSource } from '../../web/site.ts';
import { CardSection } from '../cards/card-section.tsx';
import type { PageQuery } from '../content/page-query.ts';
import type { ContentView } from '../content/shown-content.ts';
import { Descriptions, Details, shownFields } from '../fields.tsx';
import { RecordDates, RecordFoot } from '../record-foot.tsx';
import { recordPage } from '../record-page.tsx';
import { SearchTerm } from '../search/search-within.tsx';
import { type View, viewOf } from '../view.ts';

const SORTS = [
  ['order', 'Newest'],
  ['title', 'Title'],
  ['date', 'Date'],
] as const;

/** The further data of a term's page, as for nodes. */
export interface TermPageData {
  readonly query: PageQuery;
  readonly narrower: FoundTerms;
  /** The items that refer to the term. */
  readonly items: CardPage;
}

/** Returns the page of a term: its description, its broader and narrower terms, and the items that refer to it. */
export function termPage(
  { content, around, links, preview }: ContentView,
  data: TermPageData,
  source: PageSource,
): HtmlPage {
  const view = viewOf(content, around, source);
  const { root, language } = view;
  const fields = shownFields(view);
  return recordPage(
    view,
    links,
    <>
      <Descriptions fields={fields} view={view} />
      <Details fields={fields} view={view} />
      <NarrowerTerms view={view} narrower={data.narrower} />
      <CardSection
        title="Items"
        empty="No item refers to this term yet."
        result={data.items}
        list={{ path: root + entityPath.taxonomy_term(content.head.id), query: data.query, anchor: 'items' }}
        sorts={SORTS}
        root={root}
        language={language}
      >
        <SearchTerm view={view} />
      </CardSection>
      {preview?.isNew ? (
        <footer class="record-foot">
          <RecordDates view={view} />
        </footer>
      ) : (
        <RecordFoot view={view} links={links} />
      )}
    </>,
    { styles: ['cards.css'], preview },
  );
}

function NarrowerTerms({ view, narrower }: { view: View; narrower: TermPageData['narrower'] }) {
  const { root, language } = view;
  const { terms, hasMore } = narrower;
  if (terms.length === 0) return null;
  const lang = langWithin(PAGE_LANGUAGE, language);
  return (
    <section aria-labelledby="narrower-title">
      <h2 id="narrower-title" {...lang}>
        Narrower terms
      </h2>
      <ul class="narrower">
        {terms.map((term) => (
          <li key={term.id}>
            <a href={root + entityPath.taxonomy_term(term.id)}>
              <bdi {...langWithin(languageOf(term.language), language)}>{term.label}</bdi>
            </a>
          </li>
        ))}
      </ul>
      {hasMore && (
        <p class="empty" {...lang}>
          These are the first {terms.length} terms.
        </p>
      )}
    </section>
  );
}
