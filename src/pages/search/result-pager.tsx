import type { SearchData } from '../../representation/search/search-data.ts';
import { searchPages } from '../../representation/search/search-links.ts';
import { numberText } from '../cards/counted-items.ts';
import { Pager } from '../cards/pager.tsx';
import type { LinkTo } from './search-linker.ts';

/** The pages of the results. From a position, they follow one after the other. */
export function ResultPager({ data, linkTo }: { data: SearchData; linkTo: LinkTo }) {
  const { state, pages } = data;
  if (state.after === undefined)
    return <Pager page={state.page} pages={pages} addressOf={(page) => linkTo({ ...state, page, more: undefined })} />;
  const { first, next } = searchPages(data);
  return (
    <nav class="pager" aria-label="Pages of this list">
      <ul>
        <li>
          <a href={linkTo(first)}>First page</a>
        </li>
        <li>
          <a href={linkTo(state)} aria-current="page">
            <span class="unseen">Page </span>
            {numberText(state.page + 1)}
          </a>
        </li>
        {next !== undefined && (
          <li>
            <a rel="next nofollow" href={linkTo(next)}>
              Next
            </a>
          </li>
        )}
      </ul>
    </nav>
  );
}
