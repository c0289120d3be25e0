import { siteRoot } from '../../field-types/display/addresses.ts';
import { entityPath, nodeOrderPath } from '../../paths.ts';
import type { Site } from '../../web/site.ts';
import { ActionBar, FormToken, formPage } from '../forms/form-page.tsx';
import { ItemCrumbs } from '../item-crumbs.tsx';
import type { HtmlPage } from '../layout.tsx';
import { OPENED, type OrderPageData } from './order-data.ts';
import { OrderNotices } from './order-notices.tsx';
import { OrderRows } from './order-rows.tsx';
import { OrderTools } from './order-tools.tsx';

/**
 * Returns the page on which the members of an item are put in order: a list with a field for each position, which `order.js`
 * moves by pointer and keyboard.
 */
export function orderPage(data: OrderPageData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  const { id, title, rows, messages, isChanged, refusal, running } = data;
  const back = root + entityPath.node(id);
  const hasForm = rows.length > 1 && (isChanged || (refusal === undefined && running === undefined));
  return formPage({
    site,
    heading: `Order the members of “${title}”`,
    errors: messages,
    isWide: true,
    styles: ['order.css'],
    modules: hasForm ? ['order.js'] : [],
    lead: hasForm && (
      <p id="order-help">
        {NUMBER.format(rows.length)} members. Enter the new position of each member that moves. The others keep their
        order.
      </p>
    ),
    crumbs: <ItemCrumbs address={back} title={title} />,
    children: (
      <>
        <OrderNotices data={data} root={root} />
        {hasForm && (
          <>
            <OrderTools count={rows.length} />
            <form
              method="post"
              action={root + nodeOrderPath(id)}
              data-keep={isChanged ? 'changed' : 'unchanged'}
              autoComplete="off"
              noValidate
            >
              <FormToken token={data.token} />
              <input type="hidden" name={OPENED} value={data.opened} />
              <OrderRows data={data} root={root} />
              <ActionBar>
                <button class="button" type="submit">
                  Save the order
                </button>
                <a href={back}>Cancel</a>
                <span class="state" role="status" />
              </ActionBar>
            </form>
          </>
        )}
        {!hasForm && (
          <p>
            <a href={back}>Back to the item</a>
          </p>
        )}
      </>
    ),
  });
}

const NUMBER = new Intl.NumberFormat('en');
