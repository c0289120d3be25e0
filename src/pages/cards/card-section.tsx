import type { ComponentChildren } from 'preact';
import { numberText } from '../../base/in-words.ts';
import { langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import type { CardPage } from '../../repository/content/lists/find-cards.ts';
import { CARDS_PER_PAGE, type PageQuery } from '../content/page-query.ts';
import { CardGrid } from './card-grid.tsx';
import { countedItems } from './counted-items.ts';
import { type AddressedList, listAddress } from './list-address.ts';
import { ListChoices } from './list-choices.tsx';
import { Pager } from './pager.tsx';

interface Props {
  readonly title: string;
  /** A sentence for a list without items. Without it, an empty list is not shown. */
  readonly empty?: string;
  readonly result: CardPage;
  readonly list: AddressedList & { readonly anchor: string };
  readonly sorts: readonly (readonly [PageQuery['sort'], string])[];
  /** The path prefix of the site. */
  readonly root: string;
  /** The language of the page. */
  readonly language: string;
  /** The id of the node whose members the items are. */
  readonly parent?: number;
  /** Stands above the items. */
  readonly children?: ComponentChildren;
}

/** A part of a page with a list of items: their number, orders, cards and pages. */
export function CardSection({ title, empty, result, list, sorts, root, language, parent, children }: Props) {
  const { cards, total, hasMore } = result;
  if (total === 0 && empty === undefined) return null;
  const lang = langWithin(PAGE_LANGUAGE, language);
  const { page, view } = list.query;
  const pages = Math.ceil(total / CARDS_PER_PAGE);
  const titleId = `${list.anchor}-title`;
  return (
    <section id={list.anchor} class="card-section" aria-labelledby={titleId}>
      <header class="bar">
        <h2 id={titleId} {...lang}>
          {title}
        </h2>
        {total > 0 && (
          <span class="soft" {...lang}>
            {countedItems(hasMore ? total + 1 : total)}
          </span>
        )}
        {total > 1 && <ListChoices list={list} sorts={sorts} language={language} />}
      </header>
      {total > 0 && children}
      {cards.length > 0 && <CardGrid cards={cards} root={root} language={language} view={view} parent={parent} />}
      {cards.length === 0 && (
        <p class="empty" {...lang}>
          {total === 0 ? empty : `This list ends at page ${numberText(pages)}.`}
        </p>
      )}
      {hasMore && page >= pages - 1 && (
        <p class="empty" {...lang}>
          The list shows the first {numberText(total)} items.
        </p>
      )}
      <Pager page={page} pages={pages} language={language} addressOf={(each) => listAddress(list, { page: each })} />
    </section>
  );
}
