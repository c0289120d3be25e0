import { numberText } from '../../base/in-words.ts';
import type { SearchData } from '../../representation/search/search-data.ts';
import { EVERYTHING, isNarrowed, refined } from '../../representation/search/search-state.ts';
import type { LinkTo } from './search-linker.ts';

interface Props {
  readonly data: SearchData;
  readonly linkTo: LinkTo;
}

/** Says that the index is being built, since items may be missing until then. */
export function BuildingNote({ isBuilding }: Pick<SearchData, 'isBuilding'>) {
  if (isBuilding === undefined) return null;
  const { done, total } = isBuilding;
  return (
    <p class="notice" role="status">
      The search index is being built: {numberText(done)} of {numberText(total)} items are in it. Others are found when
      it is complete.
    </p>
  );
}

/** Says which parts of a search were left out. */
export function Ignored({ ignored }: Pick<SearchData, 'ignored'>) {
  return ignored.map((sentence) => (
    <p key={sentence} class="notice">
      {sentence}
    </p>
  ));
}

/** The advice for a search without results. */
export function NoResults({ data: { state, suggestion, isBuilding }, linkTo }: Props) {
  const hasWords = state.text.trim() !== '';
  if (!hasWords && !isNarrowed(state))
    return (
      <p class="empty">
        {isBuilding === undefined
          ? 'This repository has no public items yet.'
          : 'No item is in the index yet. Please try again in a moment.'}
      </p>
    );
  return (
    <div class="advice">
      {suggestion !== undefined && (
        <p class="did-you-mean">
          Did you mean <a href={linkTo(refined(state, { text: suggestion }))}>{<bdi>{suggestion}</bdi>}</a>?
        </p>
      )}
      <h2>What you can try</h2>
      <ul>
        {isNarrowed(state) && hasWords && (
          <li>
            <a href={linkTo({ ...EVERYTHING, text: state.text })}>Search for the same words without filters.</a>
          </li>
        )}
        {hasWords && (
          <>
            <li>Check the spelling, or use fewer words: an item is found only if it has all of them.</li>
            <li>
              Write <kbd>OR</kbd> between words if one of them is enough: <kbd>ferry OR steamer</kbd>
            </li>
            <li>
              Search for the beginning of a word with an asterisk: <kbd>harb*</kbd>
            </li>
          </>
        )}
        <li>
          <a href={linkTo(EVERYTHING)}>Show all items</a>, and choose from their collections, subjects and dates.
        </li>
      </ul>
    </div>
  );
}

/** Says that the shown page lies behind the last one. */
export function PastTheEnd({ data, linkTo }: Props) {
  const { state, pages } = data;
  const last = Math.max(0, pages - 1);
  return (
    <p class="empty">
      There are no results on this page.{' '}
      <a href={linkTo({ ...state, page: last, after: undefined })}>Go to page {numberText(last + 1)}</a>, or use more
      words or filters to find fewer items.
    </p>
  );
}
