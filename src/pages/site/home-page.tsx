import { siteRoot } from '../../field-types/display/addresses.ts';
import { PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { paths } from '../../paths.ts';
import type { CardPage } from '../../repository/content/lists/find-cards.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { CardGrid } from '../cards/card-grid.tsx';
import { FindBox } from '../find-box.tsx';
import { htmlPage, Layout } from '../layout.tsx';
import { SiteHead } from './site-head.tsx';

interface HomeData {
  readonly collections: CardPage;
  readonly newest: CardPage;
}

/** Returns the first page of a site: its name and introduction, collections and newest items. */
export function homePage({ collections, newest }: HomeData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  const { introduction } = site.theme;
  const isEmpty = collections.cards.length === 0 && newest.cards.length === 0;
  return htmlPage(
    <Layout
      site={site}
      title={site.siteName}
      language={PAGE_LANGUAGE}
      styles={['cards.css', 'site.css']}
      path={paths.home}
      find={false}
      head={<SiteHead baseUrl={site.baseUrl} path={paths.home} />}
    >
      <header class="hero">
        <h1 dir="auto">{site.siteName}</h1>
        {introduction?.split(/\n\s*\n/).map((paragraph) => (
          <p key={paragraph} dir="auto">
            {paragraph.trim()}
          </p>
        ))}
        <FindBox root={root} />
      </header>
      {isEmpty && (
        <p class="empty">
          This repository has no public items yet. Collections and items are shown here when they are added.
        </p>
      )}
      {collections.cards.length > 0 && (
        <section class="top-collections" aria-labelledby="home-collections">
          <div class="bar">
            <h2 id="home-collections">Collections</h2>
            <a class="more" href={root + paths.collections}>
              All collections
            </a>
          </div>
          <CardGrid cards={collections.cards} root={root} />
        </section>
      )}
      {newest.cards.length > 0 && (
        <section aria-labelledby="home-newest">
          <div class="bar">
            <h2 id="home-newest">Newest items</h2>
            <a class="more" href={root + paths.search}>
              All items
            </a>
          </div>
          <CardGrid cards={newest.cards} root={root} />
        </section>
      )}
    </Layout>,
  );
}
