import type { NodePageData, PageSource, ShownContent } from '../../representation/page-data.ts';
import { Breadcrumbs } from '../cards/breadcrumbs.tsx';
import { MembersSection } from '../cards/members-section.tsx';
import { isShelf } from '../cards/members-words.ts';
import { SiblingLinks } from '../cards/sibling-links.tsx';
import { CiteThis } from '../cite/cite-this.tsx';
import { Descriptions, Details, shownFields } from '../fields.tsx';
import { ContentHead } from '../head/content-head.tsx';
import { type HtmlPage, htmlPage, Layout } from '../layout.tsx';
import { RecordDates } from '../record-foot.tsx';
import { HistoryLink } from '../revisions/history-link.tsx';
import { viewOf } from '../view.ts';
import { Viewer } from '../viewer/viewer.tsx';
import { viewerAssets } from '../viewer/viewer-assets.ts';
import { Downloads } from './downloads.tsx';
import { ExtractedText } from './extracted-text.tsx';
import { ItemHeading, MODEL_FIELD } from './item-heading.tsx';
import { Share } from './share.tsx';

/** Fields that the page uses without a row of their own: the heading shows the model, and the others control displays. */
const WITHOUT_ROW: ReadonlySet<string> = new Set([
  ...[MODEL_FIELD, 'field_weight', 'field_display_hints', 'field_viewer_override', 'field_access_terms'],
  'field_representative_image',
]);

/** Returns the page of a node. */
export function itemPage({ content, around, links }: ShownContent, data: NodePageData, source: PageSource): HtmlPage {
  const view = viewOf(content, around, source);
  const { label, language } = view;
  const { actor } = source;
  const { stage } = data;
  const { sizes, text } = data.files;
  const { styles, modules, needs } = viewerAssets(stage);
  const fields = shownFields(view).filter(({ name }) => !WITHOUT_ROW.has(name));
  const membersFirst = isShelf(view);
  return htmlPage(
    <Layout
      site={source}
      title={label}
      language={language}
      styles={['record.css', 'cards.css', 'item.css', ...styles]}
      modules={['copy.js', ...modules]}
      needs={needs}
      userName={actor.isAuthenticated ? actor.name : undefined}
      head={<ContentHead view={view} links={links} sizes={sizes} />}
      crumbs={data.ways.length > 0 && <Breadcrumbs ways={data.ways} root={view.root} language={language} />}
      stage={stage && <Viewer view={view} stage={stage} />}
    >
      <article class="item">
        <ItemHeading view={view} />
        <SiblingLinks
          siblings={data.siblings}
          collection={data.query.collection}
          root={view.root}
          language={language}
        />
        {membersFirst && (
          <>
            <Descriptions fields={fields} view={view} />
            <MembersSection view={view} data={data} />
          </>
        )}
        <div class="columns">
          <div class="record">
            {!membersFirst && <Descriptions fields={fields} view={view} />}
            <Details fields={fields} view={view} />
            {/* The stage of a text shows it already. */}
            {text && stage?.kind !== 'text' && <ExtractedText found={text} view={view} />}
            {!membersFirst && <MembersSection view={view} data={data} />}
          </div>
          <aside>
            <Downloads view={view} sizes={sizes} />
            <CiteThis view={view} links={links} />
            <Share
              view={view}
              links={links}
              isShowable={stage !== undefined && stage.kind !== 'other'}
              isCollection={membersFirst}
            />
          </aside>
        </div>
        <footer class="record-foot">
          <RecordDates view={view} />
          <HistoryLink view={view} links={links} />
        </footer>
      </article>
    </Layout>,
    needs,
  );
}
