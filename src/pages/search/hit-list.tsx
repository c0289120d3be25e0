import { languageOf, langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { entityPath } from '../../paths.ts';
import type { SearchHit } from '../../representation/search/search-data.ts';
import { CardPicture } from '../cards/card-grid.tsx';
import { cardNote } from '../cards/card-note.ts';

/** The results that are seen first on most screens. */
const FIRST_PICTURES = 6;

/** Results with a picture, a title, a line, and the text around the words of the search. */
export function HitList({ hits, root }: { hits: readonly SearchHit[]; root: string }) {
  return (
    <ol class="hits">
      {hits.map(({ card, snippet, parent }, at) => (
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
            {snippet.length > 0 && (
              <p class="snippet" dir="auto">
                {snippet.map(({ text, isMark }) => (isMark ? <mark>{text}</mark> : text))}
              </p>
            )}
          </div>
        </li>
      ))}
    </ol>
  );
}
