import type { MediaPageData, PageSource, ShownContent } from '../../representation/page-data.ts';
import { Descriptions, Details, shownFields } from '../fields.tsx';
import type { HtmlPage } from '../layout.tsx';
import { RecordFoot } from '../record-foot.tsx';
import { recordPage } from '../record-page.tsx';
import { viewOf } from '../view.ts';
import { SourceFile } from './source-file.tsx';

/** Returns the page of a media. */
export function mediaPage(
  { content, around, links }: ShownContent,
  { stage }: MediaPageData,
  source: PageSource,
): HtmlPage {
  const view = viewOf(content, around, source);
  const fields = shownFields(view);
  return recordPage(
    view,
    links,
    <>
      <SourceFile view={view} />
      <Descriptions fields={fields} view={view} />
      <Details fields={fields} view={view} />
      <RecordFoot view={view} links={links} />
    </>,
    { stage },
  );
}
