import type { ComponentChildren } from 'preact';
import { langWithin, PAGE_LANGUAGE } from '../field-types/display/language.ts';
import type { Link } from '../http/link-header.ts';
import type { HtmlPage } from '../web/respond.ts';
import type { AssetName } from './assets/assets.ts';
import type { Preview } from './content/shown-content.ts';
import { PREVIEW_ASSETS, PreviewBar, PreviewHead, previewTitle } from './edit/preview-bar.tsx';
import { EditLinks } from './edit-links.tsx';
import { ContentHead } from './head/content-head.tsx';
import { htmlPage, Layout } from './layout.tsx';
import type { View } from './view.ts';
import type { Stage } from './viewer/stage.ts';
import { Viewer } from './viewer/viewer.tsx';
import { viewerAssets } from './viewer/viewer-assets.ts';

interface Frame {
  /** The breadcrumbs of the page. */
  readonly crumbs?: ComponentChildren;
  readonly styles?: readonly AssetName[];
  readonly stage?: Stage | undefined;
  /** The form of values that are not saved. */
  readonly preview?: Preview | undefined;
}

/** Returns a content page as an HTML document: the frame, the links of the head, the stage, and the name of the content. */
export function recordPage(
  view: View,
  links: readonly Link[],
  children: ComponentChildren,
  { crumbs, styles = [], stage, preview }: Frame = {},
): HtmlPage {
  const { content, source, label, language } = view;
  const { bundle, head } = content;
  const { model } = source;
  const viewer = viewerAssets(stage);
  return htmlPage(
    <Layout
      site={source}
      title={preview === undefined ? label : previewTitle(label)}
      language={language}
      styles={['record.css', ...styles, ...viewer.styles, ...(preview ? PREVIEW_ASSETS.styles : [])]}
      crumbs={crumbs}
      banner={preview && <PreviewBar preview={preview} view={view} />}
      modules={[...viewer.modules, ...(preview ? PREVIEW_ASSETS.modules : [])]}
      needs={viewer.needs}
      stage={stage && <Viewer view={view} stage={stage} />}
      head={preview ? <PreviewHead /> : <ContentHead view={view} links={links} />}
    >
      <article>
        <header class="record-head">
          <p class="kind" {...langWithin(model.defaultLanguage, language)}>
            {bundle.label}
          </p>
          <h1 dir="auto">{label}</h1>
          {!head.status && (
            <p class="mark" {...langWithin(PAGE_LANGUAGE, language)}>
              Not published
            </p>
          )}
        </header>
        {!preview && <EditLinks view={view} links={links} />}
        {children}
      </article>
    </Layout>,
    viewer.needs,
  );
}
