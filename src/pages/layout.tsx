import type { ComponentChildren } from 'preact';
import type { Markup } from '../base/markup/markup.ts';
import { siteRoot } from '../field-types/display/addresses.ts';
import { langWithin, PAGE_LANGUAGE } from '../field-types/display/language.ts';
import { entityPath, paths } from '../paths.ts';
import type { HtmlPage } from '../web/respond.ts';
import type { Site } from '../web/site.ts';
import { type AssetName, assetPath } from './assets/assets.ts';
import { FindBox } from './find-box.tsx';
import { type PolicyNeeds, STYLE_NONCE, securityPolicy } from './security-policy.ts';

interface Props {
  readonly site: Site;
  readonly title: string;
  /** The language of the shown entity. */
  readonly language: string;
  /** Further elements of the head. */
  readonly head?: ComponentChildren;
  /** Style sheets in addition to that of the frame. */
  readonly styles?: readonly AssetName[];
  /** ES modules. */
  readonly modules?: readonly AssetName[];
  /** The same as for `htmlPage`. */
  readonly needs?: PolicyNeeds | undefined;
  /** The first part of the content, above the breadcrumbs. */
  readonly banner?: ComponentChildren;
  /** The breadcrumbs, above the stage. */
  readonly crumbs?: ComponentChildren;
  /** A dark area of the full width before the content. */
  readonly stage?: ComponentChildren;
  /** The path of this page, to mark it in the navigation. */
  readonly path?: string;
  /** The search box of the header, if it is not that of other pages. False for a page with one in its content. */
  readonly find?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The id of an empty element: Chromium expects the start of an element, the HTML standard its end. */
const HEADER_END = 'page-header-end';

/** The frame of all pages. */
export function Layout(props: Props) {
  const { site, title, language, head, styles = [], modules = [], needs, banner, crumbs, stage, children } = props;
  const root = siteRoot(site.baseUrl);
  const lang = langWithin(PAGE_LANGUAGE, language);
  return (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        {/* Before anything from content: see `STYLE_NONCE`. */}
        {needs?.hasStyleNonce && <meta name="style-nonce" nonce={STYLE_NONCE} />}
        <title>{title === site.siteName ? title : `${title} · ${site.siteName}`}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        {/* The first paint has the whole header: its parts would move when the last one arrives. */}
        <link rel="expect" href={`#${HEADER_END}`} {...{ blocking: 'render' }} />
        {(['frame.css', ...styles] as const).map((name) => (
          <link key={name} rel="stylesheet" href={root + assetPath(name)} />
        ))}
        {site.theme.stylePath && <link rel="stylesheet" href={root + site.theme.stylePath} />}
        <link rel="icon" href={root + paths.favicon} sizes="32x32" />
        <link rel="icon" href={root + assetPath('favicon.svg')} type="image/svg+xml" />
        <link
          rel="search"
          type="application/opensearchdescription+xml"
          title={site.siteName}
          href={root + paths.openSearch}
        />
        {(['find.js', ...modules] as const).map((name) => (
          <script key={name} type="module" src={root + assetPath(name)} />
        ))}
        {head}
      </head>
      <body>
        <a class="skip" href="#page-content" {...lang}>
          Skip to the content
        </a>
        <Header {...props} root={root} />
        <main id="page-content" tabIndex={-1}>
          {/* No module: it runs before the rest of the content is read, which then does not move. */}
          {site.user && <script src={root + assetPath('notice.js')} />}
          {banner}
          {crumbs && <div class="wrap crumbs">{crumbs}</div>}
          {stage && <div class="stage">{stage}</div>}
          <div class="wrap content">{children}</div>
        </main>
        <Footer site={site} root={root} lang={lang} />
      </body>
    </html>
  );
}

function Header({ site, language, path, find, root }: Props & { root: string }) {
  const { logo, logoDark, menu } = site.theme;
  const lang = langWithin(PAGE_LANGUAGE, language);
  return (
    <header class="site">
      <div class="wrap">
        <a class="brand" href={`${root}${paths.home}`}>
          {logo ? (
            <picture>
              {logoDark && (
                <source
                  srcset={root + logoDark.path}
                  width={logoDark.width}
                  height={logoDark.height}
                  media="(prefers-color-scheme: dark)"
                />
              )}
              <img src={root + logo.path} alt={site.siteName} width={logo.width} height={logo.height} />
            </picture>
          ) : (
            <bdi>{site.siteName}</bdi>
          )}
        </a>
        {find ?? <FindBox root={root} language={language} />}
        <nav aria-label="Site" {...lang}>
          <a href={root + paths.collections} aria-current={path === paths.collections ? 'page' : undefined}>
            Collections
          </a>
          {menu.map(({ label, href }) => (
            <a key={label} href={addressOf(href, root)} aria-current={path === href ? 'page' : undefined}>
              {label}
            </a>
          ))}
        </nav>
        <AccountLinks site={site} root={root} lang={lang} />
      </div>
      <span id={HEADER_END} hidden />
    </header>
  );
}

function Footer({ site, root, lang }: Pick<Props, 'site'> & { root: string; lang: { lang?: string } }) {
  const { footerLinks, contact } = site.theme;
  const links = contact === undefined ? footerLinks : [...footerLinks, { label: 'Contact', href: contact }];
  return (
    <footer class="site" {...lang}>
      <div class="wrap">
        {links.length > 0 && (
          <nav aria-label="About this site">
            {links.map(({ label, href }) => (
              <a key={label} href={addressOf(href, root)}>
                {label}
              </a>
            ))}
          </nav>
        )}
        <a class="for-programs" href={root + paths.openapiPage}>
          For programs: the API of this repository
        </a>
      </div>
    </footer>
  );
}

/** Returns the address of a link of the site, which may be a path of it. */
function addressOf(href: string, root: string): string {
  return href.startsWith('/') ? root + href : href;
}

/** Returns a page as a response. `needs` extends its `Content-Security-Policy`. */
export function htmlPage(page: Markup, needs?: PolicyNeeds): HtmlPage {
  return {
    body: `<!DOCTYPE html>\n${page.html}\n`,
    contentType: 'text/html; charset=utf-8',
    headers: { 'Content-Security-Policy': securityPolicy(needs), 'Referrer-Policy': 'same-origin' },
    ...(needs?.hasStyleNonce && { noncePlaceholder: STYLE_NONCE }),
  };
}

interface AccountLinksProps {
  readonly site: Site;
  readonly root: string;
  readonly lang: { readonly lang?: string };
}

/** The links of the header for the user, or to signing in. */
function AccountLinks({ site: { user }, root, lang }: AccountLinksProps) {
  if (user === undefined)
    return (
      <nav class="account" aria-label="Account" {...lang}>
        <a href={root + paths.login}>Sign in</a>
      </nav>
    );
  return (
    <nav class="account" aria-label="Account" {...lang}>
      {user.mayAdd && <a href={root + paths.nodeAdd}>Add</a>}
      {user.mayManage && <a href={root + paths.admin}>Manage</a>}
      <a class="user-name" href={root + entityPath.user(user.id)}>
        <span class="unseen">Signed in as </span>
        <bdi>{user.name}</bdi>
      </a>
      <a href={root + paths.logout}>Sign out</a>
    </nav>
  );
}
