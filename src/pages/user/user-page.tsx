import { siteRoot } from '../../field-types/display/addresses.ts';
import { PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { etagOf } from '../../http/etag.ts';
import { entityPath } from '../../paths.ts';
import { manageAccess } from '../../repository/account-access.ts';
import { ANONYMOUS_ID } from '../../repository/actor.ts';
import { type CardPage, findCards } from '../../repository/content/lists/find-cards.ts';
import type { User } from '../../repository/users/find-user.ts';
import type { Call } from '../../web/call.ts';
import { type HtmlPage, representation } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { AccountNavigation, type AccountRights } from '../account/account-navigation.tsx';
import { CardSection } from '../cards/card-section.tsx';
import { CARDS_PER_PAGE, cardSort, type PageQuery, pageQuery } from '../content/page-query.ts';
import { htmlPage, Layout } from '../layout.tsx';

const SORTS = [
  ['order', 'Newest'],
  ['title', 'Title'],
  ['date', 'Date'],
] as const;

/** The heading for the anonymous user, who has no name. */
const NAMELESS = 'Anonymous';

/** A user for their page, with what the caller may view. */
interface UserPageData {
  readonly id: number;
  readonly name: string;
  readonly query: PageQuery;
  /** The items that the user owns. */
  readonly items: CardPage;
  /** Which pages of the account the caller may open. Undefined if none. */
  readonly rights: AccountRights | undefined;
}

/** Returns the page of a user: the name, and the items that the user owns. */
function userPage({ id, name, query, items, rights }: UserPageData, site: Site): HtmlPage {
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
          result={items}
          list={{ path: root + entityPath.user(id), query, anchor: 'items' }}
          sorts={SORTS}
          root={root}
          language={PAGE_LANGUAGE}
        />
      </article>
    </Layout>,
  );
}

/** Answers the page of a user, whose account the caller may cancel or not. */
export async function answerUserPage(call: Call, user: User, link: string, mayCancel: boolean): Promise<Response> {
  const { row, roles } = user;
  const { id, name, status, deletedAt } = row;
  const { api, actor, site } = call;
  const query = pageQuery(call.request);
  const range = { page: query.page, size: CARDS_PER_PAGE, sort: cardSort(query) };
  const items = await findCards(api.services, actor, { owner: id }, range);
  const isOwn = actor.isAuthenticated && actor.id === id;
  const isAccount = id !== ANONYMOUS_ID && deletedAt === null;
  const mayManage = isAccount && manageAccess(actor, api.services.model, roles).isAllowed;
  const rights = isOwn || mayManage ? { isOwn, mayManage, mayCancel, isBlocked: !status } : undefined;
  const page = userPage({ id, name, query, items, rights }, site);
  return representation(call, { ...page, etag: etagOf(`${page.body}${link}`), changed: undefined, link });
}
