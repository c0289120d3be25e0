import { linkableAddress } from '../../field-types/display/addresses.ts';
import { langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import type { Link } from '../../http/link-header.ts';
import { RecordDates } from '../record-foot.tsx';
import type { View } from '../view.ts';

/** The dates of content, and the link to its history for callers who may view it. */
export function HistoryFoot({ view, links }: { view: View; links: readonly Link[] }) {
  return (
    <footer class="record-foot">
      <RecordDates view={view} />
      <HistoryLink view={view} links={links} />
    </footer>
  );
}

/** A link to the history of content, for callers who may view it. */
function HistoryLink({ view, links }: { view: View; links: readonly Link[] }) {
  const history = linkableAddress(links.find(({ rel }) => rel === 'version-history')?.href);
  if (history === undefined) return null;
  return (
    <p {...langWithin(PAGE_LANGUAGE, view.language)}>
      <a href={history}>History</a>
    </p>
  );
}
