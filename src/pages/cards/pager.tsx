import { numberText } from '../../base/in-words.ts';
import { langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';

interface Props {
  /** The shown page, from 0. It may lie behind the last one. */
  readonly page: number;
  /** The number of pages. */
  readonly pages: number;
  readonly addressOf: (page: number) => string;
  /** The language of the page. */
  readonly language?: string;
}

/** The number of pages beside the shown one that have a link. */
const NEIGHBOURS = 2;

/** Links to the other pages of a list: previous and next, the first and the last, and those beside the shown one. */
export function Pager({ page, pages, addressOf, language = PAGE_LANGUAGE }: Props) {
  if (pages < 2 && page === 0) return null;
  const last = Math.max(0, pages - 1);
  return (
    <nav class="pager" aria-label="Pages of this list" {...langWithin(PAGE_LANGUAGE, language)}>
      <ul>
        {page > 0 && (
          <li>
            <a rel="prev" href={addressOf(Math.min(page - 1, last))}>
              Previous
            </a>
          </li>
        )}
        {numbered(page, last).map((each, at, all) => (
          <li key={each} class={isNear(each, page) ? undefined : 'far'}>
            {at > 0 && each - (all[at - 1] ?? 0) > 1 && <span class="gap">…</span>}
            <a href={addressOf(each)} aria-current={each === page ? 'page' : undefined}>
              <span class="unseen">Page </span>
              {numberText(each + 1)}
            </a>
          </li>
        ))}
        {page < last && (
          <li>
            <a rel="next" href={addressOf(page + 1)}>
              Next
            </a>
          </li>
        )}
      </ul>
    </nav>
  );
}

const isNear = (each: number, page: number) => Math.abs(each - page) <= 1;

/** Returns the pages with a number, in order: the first, the last, and those around the shown one. */
function numbered(page: number, last: number): number[] {
  const pages = [0];
  for (let each = Math.max(1, page - NEIGHBOURS); each <= Math.min(last - 1, page + NEIGHBOURS); each++)
    pages.push(each);
  if (last > 0) pages.push(last);
  return pages;
}
