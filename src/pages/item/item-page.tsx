import { dateInWords } from '../../field-types/display/date-in-words.ts';
import { languageOf, langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { entityPath, pathOf } from '../../paths.ts';
import { nodeAccess } from '../../repository/access.ts';
import { DATE_FIELDS } from '../../repository/content/lists/card-list.ts';
import { plainPageTypes } from '../../repository/content/lists/find-plain-pages.ts';
import type { AttachedText } from '../../repository/content/read/find-attached-files.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { PageSource } from '../../web/site.ts';
import { AccessNotice } from '../access/access-notice.tsx';
import { ViewAsBar } from '../access/view-as-bar.tsx';
import { WhoCanSee } from '../access/who-can-see.tsx';
import { Breadcrumbs } from '../cards/breadcrumbs.tsx';
import { isCollectionView, MembersSection } from '../cards/members-section.tsx';
import { SiblingLinks } from '../cards/sibling-links.tsx';
import { CiteThis } from '../cite/cite-this.tsx';
import type { ContentView } from '../content/shown-content.ts';
import { PREVIEW_ASSETS, PreviewBar, PreviewHead, previewTitle } from '../edit/preview-bar.tsx';
import { EditLinks, UploadLink } from '../edit-links.tsx';
import { Descriptions, Details, FieldPanels, shownFields } from '../fields.tsx';
import { ContentHead } from '../head/content-head.tsx';
import { htmlPage, Layout } from '../layout.tsx';
import { HistoryFoot } from '../record-foot.tsx';
import { ScrollFrame } from '../scroll-frame.tsx';
import { DerivativeList } from '../upload/derivative-list.tsx';
import { firstText, type View, viewOf } from '../view.ts';
import { Viewer } from '../viewer/viewer.tsx';
import { viewerAssets } from '../viewer/viewer-assets.ts';
import { Downloads } from './downloads.tsx';
import type { NodePageData } from './node-page-data.ts';
import { SearchBox } from './search-box.tsx';
import { Share } from './share.tsx';
import { UsePanel } from './use-panel.tsx';

/** Returns the page of a node. */
export function itemPage(
  { content, around, links, preview, viewedAs }: ContentView,
  data: NodePageData,
  source: PageSource,
): HtmlPage {
  const { everyMedia } = data;
  const all = everyMedia === undefined ? around : { ...around, media: everyMedia, hasMoreMedia: false };
  const view = viewOf(content, all, source);
  const { label, language } = view;
  const { stage } = data;
  const { sizes, text } = data.files;
  const { styles, modules, needs } = viewerAssets(stage);
  // The heading shows the model.
  const fields = shownFields(view).filter(({ name, shownAs }) => shownAs !== 'none' && name !== MODEL_FIELD);
  const membersFirst = isCollectionView(view);
  const isStored = preview === undefined;
  const isItem = !plainPageTypes(source.model).includes(content.bundle.name);
  const hasAddress = isStored || !preview.isNew;
  const mayEdit = isStored && source.actor.isAuthenticated && nodeAccess.update(source.actor, content.head).isAllowed;
  return htmlPage(
    <Layout
      site={source}
      title={isStored ? label : previewTitle(label)}
      language={language}
      styles={[
        'record.css',
        'cards.css',
        'item.css',
        ...styles,
        ...(isStored && !viewedAs ? [] : PREVIEW_ASSETS.styles),
      ]}
      modules={[
        'copy.js',
        ...(mayEdit ? (['derivatives.js'] as const) : []),
        ...modules,
        ...(isStored ? [] : PREVIEW_ASSETS.modules),
      ]}
      needs={needs}
      head={
        isStored && !viewedAs ? (
          <>
            <ContentHead view={view} links={links} sizes={sizes} />
            {membersFirst && (
              <link
                rel="alternate"
                type="application/atom+xml"
                title={`Newest in ${label}`}
                href={view.root + pathOf('nodeFeed', { node: content.head.id })}
              />
            )}
          </>
        ) : (
          <PreviewHead />
        )
      }
      banner={
        viewedAs ? (
          <ViewAsBar {...viewedAs} root={view.root} language={language} />
        ) : (
          preview && <PreviewBar preview={preview} view={view} />
        )
      }
      crumbs={
        data.breadcrumbs.length > 0 && <Breadcrumbs paths={data.breadcrumbs} root={view.root} language={language} />
      }
      stage={stage && <Viewer view={view} stage={stage} />}
    >
      <article class="item">
        <ItemHeading view={view} isItem={isItem} />
        {isStored && <EditLinks view={view} links={links} members={data.members.total} />}
        {data.access?.rules && <WhoCanSee view={view} rules={data.access.rules} networks={data.access.networks} />}
        {data.access?.closed && (
          <AccessNotice closed={data.access.closed} language={language}>
            {isStored && !viewedAs && !membersFirst && (
              <p>
                <a class="button" href={view.root + pathOf('nodeAsk', { node: content.head.id })}>
                  Ask for access
                </a>
              </p>
            )}
          </AccessNotice>
        )}
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
        {stage?.kind === 'pages' && stage.isSearchable && <SearchBox view={view} />}
        <div class="columns">
          <div class="record">
            {!membersFirst && <Descriptions fields={fields} view={view} />}
            <Details fields={fields} view={view} hasPanels />
            {/* The stage of a text shows it already. */}
            {text && stage?.kind !== 'text' && <ExtractedText attached={text} view={view} />}
            {!membersFirst && <MembersSection view={view} data={data} />}
          </div>
          <aside>
            <Downloads view={view} sizes={sizes} query={data.query} />
            {isStored && <UploadLink view={view} />}
            <FieldPanels fields={fields} view={view} />
            {hasAddress && (
              <>
                {isItem && <CiteThis view={view} links={links} />}
                <Share
                  view={view}
                  links={links}
                  isShowable={stage !== undefined && stage.kind !== 'other'}
                  isCollection={membersFirst}
                />
              </>
            )}
            {data.use && <UsePanel use={data.use} language={language} />}
            {mayEdit && (
              <DerivativeList root={view.root} node={content.head.id} language={language} failures={data.failures} />
            )}
          </aside>
        </div>
        <HistoryFoot view={view} links={links} />
      </article>
    </Layout>,
    needs,
  );
}

/** The beginning of an item's text, in a box that scrolls, with a link to the whole. */
function ExtractedText({ attached: { media, text, isWhole }, view }: { attached: AttachedText; view: View }) {
  const { root, language } = view;
  const lang = langWithin(PAGE_LANGUAGE, language);
  return (
    <div class="extracted-text">
      <h2 id="page-text" {...lang}>
        Text
      </h2>
      <ScrollFrame labelledBy="page-text">
        <p class="lines" dir="auto">
          {text}
          {!isWhole && '…'}
        </p>
      </ScrollFrame>
      <p class="aside" {...lang}>
        {isWhole ? '' : 'This is the beginning. '}
        <a href={root + entityPath.media(media)}>{isWhole ? 'About this text' : 'Read the whole text'}</a>
      </p>
    </div>
  );
}

const MODEL_FIELD = 'field_model';

/** Longer titles are shown in smaller letters. */
const LONG_TITLE_CHARACTERS = 120;

/** The name of an item, below its model and date. A page of the site, such as "About", has its name only. */
function ItemHeading({ view, isItem }: { view: View; isItem: boolean }) {
  const { content, label, language, source } = view;
  const date = dateOf(view);
  return (
    <header class="record-head">
      {isItem && (
        <p class="kind">
          <Model view={view} />
          {date !== undefined && <span {...langWithin(PAGE_LANGUAGE, language)}> · {dateInWords(date)}</span>}
        </p>
      )}
      <h1 dir="auto" class={label.length > LONG_TITLE_CHARACTERS ? 'long' : undefined}>
        {label}
      </h1>
      {!content.head.status && (
        <p class="mark" {...langWithin(PAGE_LANGUAGE, source.model.defaultLanguage)}>
          Not published
        </p>
      )}
    </header>
  );
}

/** The model of an item, as a link to more of it; for other content, the name of its type. */
function Model({ view }: { view: View }) {
  const { content, members, root, language, source } = view;
  const [item] = members[MODEL_FIELD] ?? [];
  const term = item && view.targetOf(item);
  if (term === undefined)
    return <span {...langWithin(source.model.defaultLanguage, language)}>{content.bundle.label}</span>;
  const own = term.language === undefined ? source.model.defaultLanguage : languageOf(term.language);
  if (term.isNew) return <bdi {...langWithin(own, language)}>{term.label}</bdi>;
  return (
    <a href={root + entityPath.taxonomy_term(term.id)}>
      <bdi {...langWithin(own, language)}>{term.label}</bdi>
    </a>
  );
}

/** Returns the date of an item as EDTF, as its card shows it. */
function dateOf({ members, content }: View): string | undefined {
  const known = DATE_FIELDS.filter((name) => content.bundle.fieldNamed.has(name));
  const dates = content.bundle.fields.filter(({ type }) => type === 'edtf').map(({ name }) => name);
  for (const name of known.length > 0 ? known : dates) {
    const date = firstText(members, name);
    if (date !== undefined) return date;
  }
  return undefined;
}
