import { siteRoot } from '../../field-types/display/addresses.ts';
import { PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { entityPath } from '../../paths.ts';
import type { Site, UserPageData } from '../../representation/page-data.ts';
import { AccountNavigation } from '../account/account-navigation.tsx';
import { CardSection } from '../cards/card-section.tsx';
import { type HtmlPage, htmlPage, Layout } from '../layout.tsx';

const SORTS = [
  ['order', 'Newest'],
  ['title', 'Title'],
  ['date', 'Date'],
] as const;

/** The heading for the anonymous user, who has no name. */
const NAMELESS = 'Anonymous';

/** Returns the page of a user: the name, and the items that the user owns. */
export function userPage({ id, name, query, items, rights }: UserPageData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  const heading = name === '' ? NAMELESS : name;
  return htmlPage(
    <Layout
      site={site}
      title={heading}
      language={PAGE_LANGUAGE}
      styles={['record.css', 'cards.css', ...(rights ? (['account.css'] as const) : [])]}
      head={<meta name="robots" content="noindex" />}
    >
      <article>
        <header class="record-head">
          <p class="kind">User</p>
          <h1 dir="auto">{heading}</h1>
        </header>
        {rights && <AccountNavigation root={root} account={{ id, name }} {...rights} />}
        <CardSection
          title="Items"
          empty="There are no items of this user that you may view."
          found={items}
          list={{ path: root + entityPath.user(id), query, anchor: 'items' }}
          sorts={SORTS}
          root={root}
          language={PAGE_LANGUAGE}
        />
      </article>
    </Layout>,
  );
}
