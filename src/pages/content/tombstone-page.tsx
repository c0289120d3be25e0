import { isoTime } from '../../base/in-words.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { dateInWords } from '../../field-types/display/date-in-words.ts';
import { languageOf, langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { paths } from '../../paths.ts';
import { TOMBSTONE_SITE, type Tombstone } from '../../repository/content/tombstones.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { Citation } from '../cite/cite-this.tsx';
import { htmlPage, Layout } from '../layout.tsx';

/** Returns the page of a deleted item: its title, its citation and when it was deleted. */
export function tombstonePage({ title, language, deleted, citation }: Tombstone, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  const own = langWithin(languageOf(language), PAGE_LANGUAGE);
  const runs = citation.map((part) => ({ ...part, text: part.text.replace(TOMBSTONE_SITE, site.baseUrl) }));
  return htmlPage(
    <Layout
      site={site}
      title={title}
      language={PAGE_LANGUAGE}
      styles={['error.css']}
      head={<meta name="robots" content="noindex" />}
    >
      <article class="failure">
        <p class="kind">Deleted item</p>
        <h1 dir="auto" {...own}>
          {title}
        </h1>
        <p>This item was deleted on {dateInWords(isoTime(deleted).slice(0, 'YYYY-MM-DD'.length))}.</p>
        {runs.length > 0 && (
          <p class="citation" dir="auto" {...own}>
            <Citation runs={runs} />
          </p>
        )}
        <nav aria-label="Other pages">
          <ul>
            <li>
              <a href={`${root}${paths.home}`}>First page of {site.siteName}</a>
            </li>
            <li>
              <a href={root + paths.search}>Search</a>
            </li>
          </ul>
        </nav>
      </article>
    </Layout>,
  );
}
