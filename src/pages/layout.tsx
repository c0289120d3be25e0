/** @jsxImportSource preact */
import type { ComponentChildren, JSX } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { siteRoot } from '../field-types/display/addresses.ts';
import { langWithin, PAGE_LANGUAGE } from '../field-types/display/language.ts';
import { paths } from '../paths.ts';
import { pageStyle } from './page-security-policy.ts';
import type { Site } from './page-source.ts';

interface Props {
  readonly site: Site;
  readonly title: string;
  /** Of what the page is about. */
  readonly language: string;
  /** What belongs into the head besides the title. */
  readonly head?: ComponentChildren;
  /** The name of whoever is signed in. */
  readonly userName?: string | undefined;
  readonly children: ComponentChildren;
}

/** What all pages have in common. */
export function Layout({ site, title, language, head, userName, children }: Props) {
  const lang = langWithin(PAGE_LANGUAGE, language);
  return (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <title>{`${title} · ${site.siteName}`}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        {head}
        {/* It is text of the program, and has to arrive as the hash of the policy counts it. */}
        <style dangerouslySetInnerHTML={{ __html: pageStyle }} />
      </head>
      <body>
        <a class="skip" href="#page-content" {...lang}>
          Skip to the content
        </a>
        <header class="site">
          <bdi class="site-name">{site.siteName}</bdi>
          {userName && (
            <span {...lang}>
              Signed in as <bdi>{userName}</bdi>
            </span>
          )}
        </header>
        <main id="page-content" tabIndex={-1}>
          {children}
        </main>
        <footer class="site" {...lang}>
          <a href={siteRoot(site.baseUrl) + paths.openapiPage}>For programs: the API of this repository</a>
        </footer>
      </body>
    </html>
  );
}

/** A page as the text of a whole HTML document. */
export function documentText(page: JSX.Element): string {
  return `<!DOCTYPE html>\n${renderToString(page)}\n`;
}
