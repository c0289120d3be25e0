import type { ComponentChildren } from 'preact';
import { PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { entityPath } from '../../paths.ts';
import type { HtmlPage } from '../../web/respond.ts';
import { htmlPage, Layout } from '../layout.tsx';
import type { View } from '../view.ts';

interface Props {
  readonly view: View;
  /** The name of the page. */
  readonly title: string;
  readonly heading: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Returns a page about revisions of content, with a link back to it. Search engines do not list it. */
export function historyPage({ view, title, heading, children }: Props): HtmlPage {
  const { content, source, root } = view;
  const { baseUrl } = source;
  const path = entityPath[content.kind.type](content.head.id);
  return htmlPage(
    <Layout
      site={source}
      title={title}
      language={PAGE_LANGUAGE}
      styles={['record.css', 'revisions.css']}
      head={
        <>
          <meta name="robots" content="noindex" />
          <link rel="latest-version" href={baseUrl + path} />
        </>
      }
      crumbs={
        <nav aria-label="Breadcrumbs">
          <a href={root + path}>
            <bdi lang={view.language}>{view.label}</bdi>
          </a>
        </nav>
      }
    >
      <article class="history">
        <header class="record-head">{heading}</header>
        {children}
      </article>
    </Layout>,
  );
}
