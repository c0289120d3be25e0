import { linkableAddress } from '../../field-types/display/addresses.ts';
import { langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import type { Link } from '../../http/link-header.ts';
import type { View } from '../view.ts';

/** A link to the history of content, for callers who may view it. */
export function HistoryLink({ view, links }: { view: View; links: readonly Link[] }) {
  const history = linkableAddress(links.find(({ rel }) => rel === 'version-history')?.href);
  if (history === undefined) return null;
  return (
    <p {...langWithin(PAGE_LANGUAGE, view.language)}>
      <a href={history}>History</a>
    </p>
  );
}
