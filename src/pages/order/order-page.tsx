import { Type as t } from '@sinclair/typebox';
import { malformed, unprocessable } from '../../base/errors.ts';
import { numberText } from '../../base/in-words.ts';
import { planOrder } from '../../bulk/plan-order.ts';
import { type NewWeight, startOrder } from '../../bulk/start-order.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { entityPath, pathOf, paths } from '../../paths.ts';
import { type Content, open } from '../../repository/content/content.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { findOr404 } from '../../web/find-content-or-404.ts';
import { formAnswer, seeOther } from '../../web/form-answer.ts';
import { formBody } from '../../web/form-body.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { id } from '../../web/parameters.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { ItemCrumbs } from '../cards/breadcrumbs.tsx';
import { ActionBar, FormToken, formPage } from '../forms/form-page.tsx';
import {
  findPresentOrder,
  gatherOrderPage,
  type PresentOrder,
  type SentOrder,
  weightRange,
} from './gather-order-page.ts';
import { OPENED, type OrderPageData } from './order-data.ts';
import { OrderNotices } from './order-notices.tsx';
import { OrderRows } from './order-rows.tsx';
import { arrangeMembers, type OrderForm, readOrder } from './read-order.ts';

const params = t.Object({ node: id('The id of the node.') });

/** The routes of the page on which the members of an item are put in order. */
export const orderRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.nodeOrder, async ({ call }) => show(call), {
      check: { formats: PAGE_FORMATS, access: findOrderable },
      params,
    })
    .post(paths.nodeOrder, async ({ call, body }) => save(call, body), {
      check: { form: 'large', formats: PAGE_FORMATS, access: findOrderable },
      params,
      body: formBody(readOrder),
    });

/** Returns the item of the path. Throws 401 or 403 for a caller who may not change it. */
async function findOrderable(call: Call): Promise<Content> {
  const node = await findOr404(call, 'node');
  // The page shows its title.
  call.allow(node.kind.access.view(call.actor, node.head));
  call.allow(node.kind.access.update(call.actor, node.head));
  call.content = node;
  return node;
}

async function show(call: Call): Promise<Response> {
  const node = call.content ?? (await findOrderable(call));
  return pageOf(call, node, await findPresentOrder(call, node));
}

async function pageOf(call: Call, node: Content, present: PresentOrder, sent?: SentOrder, status = 200) {
  return formAnswer(orderPage(await gatherOrderPage(call, node, present, sent), call.site), status);
}

/** Saves an order in the background. A form of an older state of the members is shown again with its order. */
async function save(call: Call, typed: OrderForm): Promise<Response> {
  const { api, actor } = call;
  const { database } = api.services;
  const node = call.content ?? (await findOrderable(call));
  const { id: nodeId } = node.head;
  const present = await findPresentOrder(call, node);
  const arranged = arrangeMembers(typed);
  const isOutdated = present.opened !== typed.opened;
  const again = (status: number) => pageOf(call, node, present, { typed, arranged, isOutdated }, status);
  if (present.refusal !== undefined) return again(present.refusal.reason === 'locked' ? 403 : 409);
  if (isOutdated) return again(409);
  const known = new Map(present.members.map((member) => [member.id, member]));
  if (typed.entries.length !== known.size || typed.entries.some((entry) => !known.has(entry.id)))
    throw malformed('The form must have each member once, and nothing else.');
  if (arranged.messages.length > 0) return again(422);
  if (isSame(arranged.ids, present))
    return seeOther(call, pathOf('nodeOrder', { node: nodeId }), 'The order is as it was.');
  const weights = arranged.ids.map((each) => known.get(each)?.weight ?? null);
  const planned = planOrder(weights, weightRange(call, present.members));
  if (planned === undefined) throw unprocessable('The field of the order accepts too few numbers for these members.');
  const changed = arranged.ids.flatMap((each, at): NewWeight[] => {
    const [before = null, next = 0] = [weights[at], planned[at]];
    return before === next ? [] : [{ id: each, present: before, next }];
  });
  const run = await startOrder(database, actor, { id: nodeId, label: open(node).draft.label }, changed);
  if (run === undefined) return again(409);
  api.bulk.wake();
  return seeOther(call, pathOf('bulkRun', { run }));
}

function isSame(ids: readonly number[], { members }: PresentOrder): boolean {
  return ids.every((each, at) => members[at]?.id === each);
}

/**
 * Returns the page on which the members of an item are put in order: a list with a field for each position, which `order.js`
 * moves by pointer and keyboard.
 */
function orderPage(data: OrderPageData, site: Site): HtmlPage {
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
        {numberText(rows.length)} members. Enter the new position of each member that moves. The others keep their
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
              action={root + pathOf('nodeOrder', { node: id })}
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

/** The tools that `order.js` enables. They are outside the form, which sends positions only. */
function OrderTools({ count }: { readonly count: number }) {
  const number = (id: string, label: string) => (
    <>
      <label for={id}>{label}</label>
      <input id={id} class="short" inputMode="numeric" autoComplete="off" maxLength={String(count).length} />
    </>
  );
  return (
    <section class="order-tools" aria-label="Tools">
      <div>
        <Tool name="sort">Sort by title</Tool>
        <Tool name="reverse">Reverse</Tool>
        <Tool name="undo">Undo</Tool>
      </div>
      <fieldset data-range>
        <legend class="unseen">Select a range</legend>
        {number('range-from', 'Positions')}
        {number('range-to', 'to')}
        <Tool name="select">Select</Tool>
      </fieldset>
      <fieldset data-selection>
        <legend class="unseen">Move the selected members</legend>
        <span data-count>None selected</span>
        {number('range-target', 'Move to position')}
        <Tool name="move">Move</Tool>
        <Tool name="up">Up</Tool>
        <Tool name="down">Down</Tool>
        <Tool name="clear">Clear</Tool>
      </fieldset>
      <p class="error" data-problem role="alert" />
    </section>
  );
}

function Tool({ name, children }: { readonly name: string; readonly children: string }) {
  return (
    <button class="button quiet small" type="button" data-tool={name}>
      {children}
    </button>
  );
}
