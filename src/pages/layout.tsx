import type { ComponentChildren, JSX } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { siteRoot } from '../field-types/display/addresses.ts';
import { langWithin, PAGE_LANGUAGE } from '../field-types/display/language.ts';
import { paths } from '../paths.ts';
import type { Site } from '../representation/page-data.ts';
import recordStyle from './assets/record.css' with { type: 'text' };
import frameStyle from './assets/style.css' with { type: 'text' };

interface Props {
  readonly site: Site;
  readonly title: string;
  /** The language of the shown entity. */
  readonly language: string;
  /** Further elements of the head. */
  readonly head?: ComponentChildren;
  /** The name of the signed-in user. */
  readonly userName?: string | undefined;
  readonly children: ComponentChildren;
}

/** The frame of all pages. */
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
        {/* Not escaped: the policy has the hash of this text. */}
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

/** Returns a page as an HTML document. */
export function documentText(page: JSX.Element): string {
  return `<!DOCTYPE html>\n${renderToString(page)}\n`;
}

/** The style of every page, embedded to avoid a second request. */
const pageStyle = frameStyle + recordStyle;

const styleHash = new Bun.CryptoHasher('sha256').update(pageStyle).digest('base64');

/** The `Content-Security-Policy` of every page. Allows only this style, and images, audio and video of this site. */
export const pageSecurityPolicy = [
  "default-src 'none'",
  "img-src 'self'",
  "media-src 'self'",
  `style-src 'sha256-${styleHash}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'self'",
].join('; ');
