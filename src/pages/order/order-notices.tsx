import { countInWords, numberText } from '../../base/in-words.ts';
import { pathOf } from '../../paths.ts';
import type { OrderPageData, OrderRefusal } from './order-data.ts';

interface Props {
  readonly data: OrderPageData;
  readonly root: string;
}

/** The facts that matter before an order is changed, or the reason why it cannot be changed. */
export function OrderNotices({ data, root }: Props) {
  const { refusal, running, stopped, shared, conflict, isChanged, id } = data;
  return (
    <>
      {conflict && <Conflict {...conflict} />}
      {refusal && <div class="warning">{refusalText(refusal)}</div>}
      {running && (
        <div class="warning">
          <p>An order of these members is being saved. {isChanged && 'Yours is not saved. '}Wait until it has ended.</p>
          <p>
            {running.path && <a href={root + running.path}>Show the progress</a>}
            {running.path && !isChanged && ' · '}
            {!isChanged && <a href={root + pathOf('nodeOrder', { node: id })}>Open this page again</a>}
          </p>
        </div>
      )}
      {stopped && (
        <div class="warning">
          <p>
            The last change of the order was stopped. {countInWords(stopped.waiting, 'member')}{' '}
            {stopped.waiting === 1 ? 'is' : 'are'} not in the new place.
          </p>
          {stopped.path && (
            <p>
              <a href={root + stopped.path}>Continue or undo it</a>
            </p>
          )}
        </div>
      )}
      {shared > 0 && refusal === undefined && (
        <p class="help">
          {countInWords(shared, 'member')} {shared === 1 ? 'belongs' : 'belong'} to other items, too.{' '}
          {shared === 1 ? 'Its place there stays.' : 'Their places there stay.'}
        </p>
      )}
    </>
  );
}

function Conflict({ added, removed }: NonNullable<OrderPageData['conflict']>) {
  const changes = [
    ...(added > 0 ? [`${countInWords(added, 'member')} ${added === 1 ? 'was' : 'were'} added`] : []),
    ...(removed > 0 ? [`${countInWords(removed, 'member')} ${removed === 1 ? 'was' : 'were'} removed`] : []),
  ];
  return (
    <section class="warning" aria-labelledby="conflict-title" tabIndex={-1} data-focus>
      <h2 id="conflict-title">The members have changed since you opened this page</h2>
      <p>
        {changes.length > 0 ? `${changes.join(', ')}.` : 'Their order has changed.'} Nothing of yours is saved yet. The
        list below has your order{added > 0 && ', with the added members behind those that they follow'}. Check it, and
        save again.
      </p>
    </section>
  );
}

function refusalText(refusal: OrderRefusal) {
  switch (refusal.reason) {
    case 'few':
      return <p>This item has fewer than two members. There is nothing to put in order.</p>;
    case 'many':
      return (
        <p>
          This item has more than {numberText(refusal.most)} members, which is more than this page can order. Import a
          table with the field that orders them.
        </p>
      );
    case 'locked':
      return (
        <p>
          You may not change {numberText(refusal.count)} of the {countInWords(refusal.of, 'member')}. Their order can be
          changed by a user who may change all of them.
        </p>
      );
    case 'fieldless':
      return (
        <p>
          {numberText(refusal.count)} of the {countInWords(refusal.of, 'member')} have a type without a field for their
          place.
        </p>
      );
    default:
      return refusal satisfies never;
  }
}
