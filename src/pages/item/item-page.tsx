import type { NodePageData, PageSource, ShownContent } from '../../representation/page-data.ts';
import { LeadMedia, MediaList } from '../attached-media.tsx';
import { Descriptions, Details, shownFields } from '../fields.tsx';
import type { HtmlPage } from '../layout.tsx';
import { chooseMedia } from '../node-media.ts';
import { RecordFoot } from '../record-foot.tsx';
import { recordPage } from '../record-page.tsx';
import { viewOf } from '../view.ts';

/** Returns the page of a node. */
export function itemPage({ content, around, links }: ShownContent, _data: NodePageData, source: PageSource): HtmlPage {
  const view = viewOf(content, around, source);
  const fields = shownFields(view);
  const chosen = chooseMedia(around);
  return recordPage(
    view,
    links,
    <>
      <LeadMedia view={view} chosen={chosen} />
      <Descriptions fields={fields} view={view} />
      <Details fields={fields} view={view} />
      <MediaList view={view} chosen={chosen} />
      <RecordFoot view={view} links={links} />
    </>,
  );
}
