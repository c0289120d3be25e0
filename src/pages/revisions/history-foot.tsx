import type { Link } from '../../http/link-header.ts';
import { RecordDates } from '../record-foot.tsx';
import type { View } from '../view.ts';
import { HistoryLink } from './history-link.tsx';

/** The dates of content, and the link to its history for callers who may view it. */
export function HistoryFoot({ view, links }: { view: View; links: readonly Link[] }) {
  return (
    <footer class="record-foot">
      <RecordDates view={view} />
      <HistoryLink view={view} links={links} />
    </footer>
  );
}
