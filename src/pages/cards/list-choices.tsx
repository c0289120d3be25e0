import { langWithin, PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { PAGE_VIEWS, type PageQuery } from '../content/page-query.ts';
import { type AddressedList, listAddress } from './list-address.ts';

export const VIEW_NAMES: Readonly<Record<PageQuery['view'], string>> = { grid: 'Grid', list: 'List' };

interface Props {
  readonly list: AddressedList;
  /** The orders of the list with their names. */
  readonly sorts: readonly (readonly [PageQuery['sort'], string])[];
  /** The language of the page. */
  readonly language: string;
}

/** The orders and layouts of a list, each with an address. A change of the order leads to the first page. */
export function ListChoices({ list, sorts, language }: Props) {
  const { sort, view } = list.query;
  return (
    <nav class="choices" aria-label="Order and layout" {...langWithin(PAGE_LANGUAGE, language)}>
      <p>
        <span>Sort by</span>
        {sorts.map(([each, name]) => (
          <Choice key={each} isCurrent={each === sort} address={listAddress(list, { sort: each, page: 0 })}>
            {name}
          </Choice>
        ))}
      </p>
      <p>
        <span>Show as</span>
        {PAGE_VIEWS.map((each) => (
          <Choice key={each} isCurrent={each === view} address={listAddress(list, { view: each })}>
            {VIEW_NAMES[each]}
          </Choice>
        ))}
      </p>
    </nav>
  );
}

/** A choice that search engines need not follow: it shows the same items. */
export function Choice({ isCurrent, address, children }: { isCurrent: boolean; address: string; children: string }) {
  return (
    <a href={address} rel="nofollow" aria-current={isCurrent ? 'true' : undefined}>
      {children}
    </a>
  );
}
