import { siteRoot } from '../field-types/display/addresses.ts';
import { PAGE_LANGUAGE } from '../field-types/display/language.ts';
import { paths } from '../paths.ts';
import type { HtmlPage } from '../web/respond.ts';
import type { Site } from '../web/site.ts';
import { htmlPage, Layout } from './layout.tsx';

interface Words {
  readonly heading: string;
  /** Replaces the message of the API. */
  readonly advice?: string;
}

/** Headings and advice (403 and 404: spec: rest-behaviour, 2.3). The page of a 401 is that of signing in. */
const WORDS: Readonly<Record<number, Words>> = {
  400: { heading: 'Invalid request' },
  403: {
    heading: 'Access denied',
    advice:
      'You are not authorized to access this page. If you think you should be, ask the administrator of this repository.',
  },
  404: {
    heading: 'Page not found',
    advice: 'The requested page could not be found. The address may be mistyped, or the page has been removed.',
  },
  410: {
    heading: 'Page removed',
    advice: 'This page has been removed permanently, and has no new address.',
  },
  406: { heading: 'Format not available' },
  429: { heading: 'Too many requests', advice: 'Please wait a moment, and then try again.' },
  503: { heading: 'Temporarily unavailable', advice: 'The repository is busy. Please try again in a moment.' },
};
const OTHER: Words = { heading: 'Request failed' };
const OURS: Words = {
  heading: 'Internal error',
  advice: 'Please try again later. If the problem persists, inform the administrator of this repository.',
};

/** Returns the page of an error. Shows `message`, that of the API, if the status has no advice. */
export function errorPage(status: number, message: string, site: Site): HtmlPage {
  const { heading, advice = message } = WORDS[status] ?? (status >= 500 ? OURS : OTHER);
  const root = siteRoot(site.baseUrl);
  return htmlPage(
    <Layout
      site={site}
      title={heading}
      language={PAGE_LANGUAGE}
      styles={['error.css']}
      head={<meta name="robots" content="noindex" />}
    >
      <article class="failure">
        <p class="kind">Error {status}</p>
        <h1>{heading}</h1>
        <p class="lines">{advice}</p>
        <nav aria-label="Other pages">
          <ul>
            <li>
              <a href={`${root}${paths.home}`}>First page of {site.siteName}</a>
            </li>
            <li>
              <a href={root + paths.collections}>All collections</a>
            </li>
          </ul>
        </nav>
      </article>
    </Layout>,
  );
}
