import type { PageSource } from '../../web/site.ts';
import type { ShownContent } from '../content/shown-content.ts';
import { describeContent } from '../description/description.ts';
import { viewOf } from '../view.ts';
import { bibtex } from './bibtex.ts';
import { type CitedWork, citedWork } from './cited-work.ts';
import { cslItem } from './csl-item.ts';
import { ris } from './ris.ts';

/** The formats of entries for reference managers. The first one is the default. */
export const REFERENCE_STYLES = ['bibtex', 'ris', 'csl-json'] as const;
export type ReferenceStyle = (typeof REFERENCE_STYLES)[number];

const WRITE: Readonly<Record<ReferenceStyle, (work: CitedWork) => string>> = {
  bibtex,
  ris,
  'csl-json': (work) => `${JSON.stringify([cslItem(work)], null, 2)}\n`,
};

/** Returns a node as an entry for reference managers. */
export function referenceEntry(
  { content, around, links }: ShownContent,
  style: ReferenceStyle,
  source: PageSource,
): string {
  const described = describeContent(viewOf(content, around, source), links);
  return WRITE[style](citedWork(described, source.siteName, `node-${content.head.id}`));
}
