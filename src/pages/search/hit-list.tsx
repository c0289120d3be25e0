import { numberText } from '../../base/in-words.ts';
import { languageOf, langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { entityPath } from '../../paths.ts';
import type { SearchHit } from '../../representation/search/search-data.ts';
import { readerPath } from '../../representation/search/search-links.ts';
import { CardFailure, CardPicture } from '../cards/card-grid.tsx';
import { cardNote } from '../cards/counted-items.ts';

/** The results that are seen first on most screens. */
const FIRST_PICTURES = 6;

/** Results with a picture, a title, a line, and the text around the words of the search. */
export function HitList({ hits, root }: { hits: readonly SearchHit[]; root: string }) {
  return (
    <ol class="hits">
      {hits.map(({ card, snippet, parent, pages, pageCount }, at) => (
        <li key={card.id} class="hit">
          <CardPicture card={card} root={root} language={PAGE_LANGUAGE} isFirst={at < FIRST_PICTURES} />
          <div>
            <h2>
              <a
                href={root + entityPath.node(card.id)}
                dir="auto"
                {...langWithin(languageOf(card.language), PAGE_LANGUAGE)}
              >
                {card.label}
              </a>
            </h2>
            <p class="card-note">
              {cardNote(card)}
              {parent && (
                <>
                  {' · part of '}
                  <a
                    href={root + entityPath.node(parent.id)}
                    dir="auto"
                    {...langWithin(languageOf(parent.language), PAGE_LANGUAGE)}
                  >
                    {parent.label}
                  </a>
                </>
              )}
            </p>
            <CardFailure card={card} language={PAGE_LANGUAGE} />
            {snippet.length > 0 && (
              <p class="snippet" dir="auto">
                <Marked snippet={snippet} />
              </p>
            )}
            {pages.length > 0 && <HitPages book={card.id} pages={pages} pageCount={pageCount} root={root} />}
          </div>
        </li>
      ))}
    </ol>
  );
}

function Marked({ snippet }: { snippet: SearchHit['snippet'] }) {
  return <>{snippet.map(({ text, isMark }) => (isMark ? <mark>{text}</mark> : text))}</>;
}

interface HitPagesProps extends Pick<SearchHit, 'pages' | 'pageCount'> {
  /** The id of the book. */
  readonly book: number;
  readonly root: string;
}

/** The pages of a book that match. Each opens the book there, with the words marked; without such words, its own page. */
function HitPages({ book, pages, pageCount, root }: HitPagesProps) {
  const searched = pages.find(({ words }) => words !== '');
  return (
    <>
      <ol class="hit-pages">
        {pages.map((page) => (
          <li key={page.id}>
            <a
              href={root + (page.words === '' ? entityPath.node(page.id) : readerPath(book, page))}
              rel={page.words === '' ? undefined : 'nofollow'}
              dir="auto"
              {...langWithin(languageOf(page.language), PAGE_LANGUAGE)}
            >
              {page.label}
            </a>
            {page.snippet.length > 0 && (
              <p class="snippet" dir="auto">
                <Marked snippet={page.snippet} />
              </p>
            )}
          </li>
        ))}
      </ol>
      {pageCount > pages.length && (
        <p class="soft">
          {searched ? (
            <a rel="nofollow" href={root + readerPath(book, { words: searched.words })}>
              {numberText(pageCount)} pages in all
            </a>
          ) : (
            `${numberText(pageCount)} pages in all`
          )}
        </p>
      )}
    </>
  );
}
