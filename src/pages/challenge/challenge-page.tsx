import { siteRoot } from '../../field-types/display/addresses.ts';
import { PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { paths } from '../../paths.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { assetPath } from '../assets/assets.ts';
import { htmlPage, Layout } from '../layout.tsx';

interface ChallengeData {
  /** The challenge as JSON. */
  readonly challenge: string;
  /** The path and query that open when it is solved. */
  readonly address: string;
}

/** Returns the page of a refused request, whose browser gets a pass for some work. */
export function challengePage({ challenge, address }: ChallengeData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  return htmlPage(
    <Layout
      site={site}
      title="One moment"
      language={PAGE_LANGUAGE}
      styles={['error.css']}
      modules={['challenge.js']}
      head={<meta name="robots" content="noindex" />}
    >
      <article class="failure">
        <h1>One moment</h1>
        <p>
          Very many robots search this repository at present. Your browser does a second of work, which would cost them
          much, and then continues.
        </p>
        <p>Without JavaScript, or if nothing happens, please load the page again in half a minute.</p>
        <form
          method="post"
          action={root + paths.pass}
          data-challenge={challenge}
          data-solver={root + assetPath('altcha.js')}
        >
          <input type="hidden" name="payload" />
          <input type="hidden" name="address" value={address} />
        </form>
        <nav aria-label="Other pages">
          <ul>
            <li>
              <a href={root + paths.collections}>All collections</a>
            </li>
          </ul>
        </nav>
      </article>
    </Layout>,
  );
}
