import type { PageSource, ShownContent, TermPageData } from '../../representation/page-data.ts';
import { Descriptions, Details, shownFields } from '../fields.tsx';
import type { HtmlPage } from '../layout.tsx';
import { RecordFoot } from '../record-foot.tsx';
import { recordPage } from '../record-page.tsx';
import { viewOf } from '../view.ts';

/** Returns the page of a term. */
export function termPage({ content, around, links }: ShownContent, _data: TermPageData, source: PageSource): HtmlPage {
  const view = viewOf(content, around, source);
  const fields = shownFields(view);
  return recordPage(
    view,
    links,
    <>
      <Descriptions fields={fields} view={view} />
      <Details fields={fields} view={view} />
      <RecordFoot view={view} links={links} />
    </>,
  );
}
