import type { ContentView, PageSource, ReferenceStyle } from '../../representation/page-data.ts';
import { describeContent } from '../description/description.ts';
import { viewOf } from '../view.ts';
import { bibtex } from './bibtex.ts';
import { type CitedWork, citedWork } from './cited-work.ts';
import { cslItem } from './csl-item.ts';
import { ris } from './ris.ts';

const WRITE: Readonly<Record<ReferenceStyle, (work: CitedWork) => string>> = {
  bibtex,
  ris,
  'csl-json': (work) => `${JSON.stringify([cslItem(work)], null, 2)}\n`,
};

/** Returns a node as an entry for reference managers. */
export function referenceEntry(
  { content, around, links }: ContentView,
  style: ReferenceStyle,
  source: PageSource,
): string {
  const described = describeContent(viewOf(content, around, source), links);
  return WRITE[style](citedWork(described, source.siteName, `node-${content.head.id}`));
}
