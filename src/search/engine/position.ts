import { createHash } from 'node:crypto';
import { malformed } from '../../base/errors.ts';
import { MAX_SIZE, type SearchQuery, SORT_ORDERS, type SortOrder, type Viewer } from '../search-types.ts';

/** The place of an item in its order: the next page begins behind it. */
export interface Position {
  readonly sort: SortOrder;
  readonly nid: number;
  /** The value that the order compares first: a title, a year, a time, or the number of items before it. */
  readonly key: string | number;
}

const CHECK_CHARACTERS = 12;
const MAX_TOKEN_CHARACTERS = 1_000;

/** Writes a position as a text that only the same search accepts. */
export function writePosition({ sort, nid, key }: Position, query: SearchQuery, viewer: Viewer): string {
  const body = JSON.stringify([sort, nid, key]);
  return `${Buffer.from(body).toString('base64url')}.${checkOf(body, query, viewer)}`;
}

/** Reads the position of a query. Throws `malformed` for one of another search, and for any other text. */
export function readPosition(query: SearchQuery, viewer: Viewer): Position | undefined {
  const { after } = query;
  if (after === undefined) return undefined;
  const [encoded = '', check, ...rest] = after.length > MAX_TOKEN_CHARACTERS ? [] : after.split('.');
  const body = Buffer.from(encoded, 'base64url').toString();
  if (rest.length > 0 || check !== checkOf(body, query, viewer))
    throw malformed(
      'The parameter "after" is not a position in this search. Take it from the "next" link of the page before, or leave it out to begin with the first page.',
    );
  const [sort, nid, key] = JSON.parse(body);
  return { sort, nid, key };
}

/** Depends on all that determines hits and order. A caller with other permissions has other hits. */
function checkOf(body: string, query: SearchQuery, { id, nodes, access }: Viewer): string {
  const { text, filters = {}, from, to, sort = SORT_ORDERS[0], groupsPages = false } = query;
  const chosen = Object.entries(filters).sort(([one], [other]) => (one < other ? -1 : 1));
  const owner = nodes.unpublished === 'own' || !access.isUnlimited ? id : null;
  const all = [
    'position',
    body,
    text,
    chosen,
    from ?? null,
    to ?? null,
    sort,
    nodes,
    owner,
    groupsPages,
    ...(access.isUnlimited ? [] : [Bun.hash(access.drafts, Bun.hash.wyhash(access.verdicts)).toString()]),
  ];
  return createHash('sha256').update(JSON.stringify(all)).digest('base64url').slice(0, CHECK_CHARACTERS);
}

/** Returns the number of items of a page. */
export function sizeOf({ size = 20 }: SearchQuery): number {
  return Math.max(1, Math.min(MAX_SIZE, Math.floor(size) || 1));
}
