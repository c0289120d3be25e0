import { ServiceError } from '../../base/errors.ts';
import { countInWords, numberText } from '../../base/in-words.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { etagOf } from '../../http/etag.ts';
import { paths } from '../../paths.ts';
import { type CardPage, findCards } from '../../repository/content/lists/find-cards.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { chooseFormat, PAGE_AND_JSON_FORMATS, PAGE_FORMATS } from '../../web/formats.ts';
import { HIDDEN } from '../../web/openapi/describe.ts';
import { PAGE_QUERY, queryOf } from '../../web/parameters.ts';
import { type HtmlPage, type Representation, representation } from '../../web/respond.ts';
import { listAnswer } from '../../web/shared-answers.ts';
import type { Site } from '../../web/site.ts';
import { CardGrid } from '../cards/card-grid.tsx';
import { Pager } from '../cards/pager.tsx';
import { CARDS_PER_PAGE, pageQuery } from '../content/page-query.ts';
import { FindBox } from '../find-box.tsx';
import { htmlPage, Layout } from '../layout.tsx';
import { FirstSteps, findSiteSteps, type SiteSteps } from './first-steps.tsx';
import { SiteHead } from './site-head.tsx';

const TOP_COLLECTIONS = 6;
/** Whole rows, of five cards or of two. */
const NEWEST_ITEMS = 10;
/** Programs that prefer JSON are answered as for an address without a route. */
/** The routes of the pages that lead readers to content. */
export function sitePageRoutes(api: ApiServices) {
  return resource(api)
    .get(paths.home, ({ call }) => answerHome(call), {
      check: { formats: 'single' },
      detail: HIDDEN,
    })
    .get(
      paths.collections,
      async ({ call }) => {
        const { page } = pageQuery(call.request);
        const name = `${paths.collections} ${page}`;
        return representation(call, await cached(call, name, () => readCollections(call, page)));
      },
      {
        check: { formats: PAGE_FORMATS },
        query: queryOf(PAGE_QUERY),
      },
    );
}

async function answerHome(call: Call): Promise<Response> {
  const { request, baseUrl } = call;
  const address = `${baseUrl}${paths.home}`;
  const { format, isNegotiated } = chooseFormat(request, PAGE_AND_JSON_FORMATS, address);
  if (format === 'json') throw new ServiceError('not-found', `${address} does not exist.`);
  const name = `${paths.home} ${isNegotiated}`;
  return representation({ request, isNegotiated }, await cached(call, name, () => readHome(call)));
}

/** Returns a cached page. Its headers are cached, too: the name includes how it is chosen. */
function cached(call: Call, name: string, create: () => Promise<HtmlPage>): Promise<Representation> {
  return listAnswer(call, name, async () => {
    const page = await create();
    return { ...page, etag: etagOf(page.body), changed: undefined };
  });
}

async function readHome(call: Call): Promise<HtmlPage> {
  const { api, actor, site } = call;
  const { services } = api;
  const [collections, newest] = await Promise.all([
    findCards(services, actor, 'top collections', { page: 0, size: TOP_COLLECTIONS }),
    findCards(services, actor, 'newest', { page: 0, size: NEWEST_ITEMS }),
  ]);
  const isEmpty = collections.cards.length === 0 && newest.cards.length === 0;
  return homePage({ collections, newest, steps: isEmpty ? await findSiteSteps(call) : undefined }, site);
}

async function readCollections({ api, actor, site }: Call, page: number): Promise<HtmlPage> {
  const { services } = api;
  const list = await findCards(services, actor, 'collections', { page, size: CARDS_PER_PAGE });
  return collectionsPage({ list, page }, site);
}

interface CollectionsData {
  readonly list: CardPage;
  /** The shown page of the list, from 0. */
  readonly page: number;
}

/** Returns the list of all collections. */
function collectionsPage({ list, page }: CollectionsData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  const { cards, total } = list;
  const pages = Math.ceil(total / CARDS_PER_PAGE);
  const query = page === 0 ? '' : `?page=${page}`;
  return htmlPage(
    <Layout
      site={site}
      title="Collections"
      language={PAGE_LANGUAGE}
      styles={['cards.css', 'site.css']}
      path={paths.collections}
      head={<SiteHead baseUrl={site.baseUrl} path={paths.collections + query} />}
    >
      <header class="list-head">
        <h1>Collections</h1>
        {total > 0 && <p class="soft">{countInWords(total, 'collection')}</p>}
      </header>
      {cards.length > 0 && <CardGrid cards={cards} root={root} />}
      {cards.length === 0 && (
        <p class="empty">
          {total === 0
            ? 'This repository has no public collections yet.'
            : `This list ends at page ${numberText(pages)}.`}
        </p>
      )}
      <Pager
        page={page}
        pages={pages}
        addressOf={(each) => root + paths.collections + (each === 0 ? '' : `?page=${each}`)}
      />
    </Layout>,
  );
}

interface HomeData {
  readonly collections: CardPage;
  readonly newest: CardPage;
  /** The first steps that the caller may take in an empty repository. */
  readonly steps: SiteSteps | undefined;
}

/** Returns the first page of a site: its name and introduction, collections and newest items. */
function homePage({ collections, newest, steps }: HomeData, site: Site): HtmlPage {
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
      {steps && <FirstSteps steps={steps} root={root} />}
      {isEmpty && steps === undefined && (
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
