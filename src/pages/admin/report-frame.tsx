import type { ComponentChildren } from 'preact';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import type { AssetName } from '../assets/assets.ts';
import { htmlPage, Layout } from '../layout.tsx';
import { AdminCrumbs } from './admin-crumbs.tsx';

interface Props {
  readonly site: Site;
  readonly title: string;
  /** A sentence below the title. */
  readonly lead?: ComponentChildren;
  readonly modules?: readonly AssetName[];
  readonly children: ComponentChildren;
}

/** Returns a page of the administration. Search engines do not list it. */
export function reportPage({ site, title, lead, modules = [], children }: Props): HtmlPage {
  const root = siteRoot(site.baseUrl);
  return htmlPage(
    <Layout
      site={site}
      title={title}
      language={PAGE_LANGUAGE}
      styles={['form.css', 'table.css', 'report.css']}
      modules={['form.js', ...modules]}
      head={<meta name="robots" content="noindex" />}
      crumbs={<AdminCrumbs root={root} current={title} />}
    >
      <article class="form-page wide report">
        <header>
          <h1>{title}</h1>
          {lead && <p class="lead">{lead}</p>}
        </header>
        {children}
      </article>
    </Layout>,
  );
}
