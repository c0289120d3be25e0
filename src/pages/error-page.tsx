/** @jsxImportSource preact */
import { PAGE_LANGUAGE } from '../field-types/display/language.ts';
import { documentText, Layout } from './layout.tsx';
import type { Site } from './page-source.ts';

interface Words {
  readonly heading: string;
  /** In place of the message, which is written for programs. */
  readonly advice?: string;
}

/** What happened, and what people can do about it (spec: rest-behaviour, 2.3 for the sentences of 401, 403 and 404). */
const WORDS: Readonly<Record<number, Words>> = {
  400: { heading: 'Not understood' },
  401: { heading: 'Please log in', advice: 'Log in to access this page.' },
  403: {
    heading: 'Not open to you',
    advice: 'You are not authorized to access this page. If you think you should be, ask whoever runs this repository.',
  },
  404: {
    heading: 'Page not found',
    advice: 'The requested page could not be found. The address may be mistyped, or what was here has been removed.',
  },
  406: { heading: 'Not available in this form' },
  429: { heading: 'Too many requests', advice: 'Please wait a moment, and then try again.' },
  503: { heading: 'Busy', advice: 'There is more to do than can be done right now. Please try again in a moment.' },
};
const OTHER: Words = { heading: 'That did not work' };
const OURS: Words = {
  heading: 'Something went wrong',
  advice: 'This is not your mistake. Please try again later; if it stays like this, tell whoever runs this repository.',
};

/**
 * The page of a failure as a whole HTML document, to be sent with `pageSecurityPolicy`. `message` is the sentence of
 * the API, which is shown where there is none for people.
 */
export function errorPage(status: number, message: string, site: Site): string {
  const { heading, advice = message } = WORDS[status] ?? (status >= 500 ? OURS : OTHER);
  return documentText(
    <Layout site={site} title={heading} language={PAGE_LANGUAGE} head={<meta name="robots" content="noindex" />}>
      <article class="failure">
        <p class="kind">Error {status}</p>
        <h1>{heading}</h1>
        <p class="lines">{advice}</p>
      </article>
    </Layout>,
  );
}
