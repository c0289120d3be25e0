import { openSealedText, sealText } from '../auth/sealed-text.ts';
import { malformed } from '../base/errors.ts';
import type { ListPart, ListQuestion, Position } from '../repository/lists/list-question.ts';
import type { Call } from './call.ts';

/** A list, as a caller asked for it, without the page. */
export type ListIdentity = Pick<ListQuestion, 'list' | 'filters' | 'sort' | 'isDescending'>;

/** A page of a list, with the number of entries that its start had. */
interface Place {
  readonly part: ListPart;
  readonly total: number | undefined;
}

/** The sealed text: a position, or null for the end of the list, and the total or null. */
type SealedPlace = readonly [key: Position['key'] | null, id: number, total: number | null];

/** Returns the place that a query names. Throws `malformed` for one of another list, of another caller, or forged. */
export function placeIn(
  call: Call,
  identity: ListIdentity,
  { after, before }: { readonly after?: string | undefined; readonly before?: string | undefined },
): Place {
  if (after !== undefined && before !== undefined)
    throw malformed('The query parameters "after" and "before" exclude each other.');
  if (after === undefined && before === undefined) return { part: 'start', total: undefined };
  const name = after === undefined ? 'before' : 'after';
  const text = openSealedText(purposeOf(call, identity, name), after ?? before ?? '', call.api.secret);
  if (text === undefined)
    throw malformed(
      `The query parameter "${name}" is not from a page of this list with these filters and this order. Begin without it, and follow the links of the pages.`,
    );
  const [key, id, total] = JSON.parse(text) as SealedPlace;
  const counted = { total: total ?? undefined };
  if (key === null) return { part: 'end', ...counted };
  return { part: name === 'after' ? { after: { key, id } } : { before: { key, id } }, ...counted };
}

/** Returns the value of a parameter for the page after or before a position, or for the last page. */
export function sealPlace(
  call: Call,
  identity: ListIdentity,
  name: 'after' | 'before',
  position: Position | 'end',
  total: number | undefined,
): string {
  const [key, id] = position === 'end' ? [null, 0] : [position.key, position.id];
  const sealed: SealedPlace = [key, id, total ?? null];
  return sealText(purposeOf(call, identity, name), JSON.stringify(sealed), call.api.secret);
}

/** A place holds the total of its caller, which others must not learn. */
function purposeOf({ actor }: Call, { list, filters, sort, isDescending }: ListIdentity, name: string): string {
  const sorted = Object.entries(filters).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `list ${JSON.stringify([1, name, actor.id, list, sort, isDescending, sorted])}`;
}
