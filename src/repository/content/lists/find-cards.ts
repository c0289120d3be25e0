import { madeOnce } from '../../../base/made-once.ts';
import { usualType } from '../../../base/usual-type.ts';
import { showingOf } from '../../../field-types/display/browser-media.ts';
import type { ContentModel } from '../../../model/content-model.ts';
import { filePath } from '../../../paths.ts';
import type { Actor } from '../../actor.ts';
import type { BaseServices } from '../../base-services.ts';
import { languageIn } from '../language-column.ts';
import { findFailedThumbnails } from '../read/failed-derivatives.ts';
import { viewerValues } from '../visible-rows.ts';
import { type CardSort, createCardList, type ListName, MAX_LISTED } from './card-list.ts';
import { type CardRow, createCardRows } from './card-rows.ts';

/** A node in a list of a page. */
export interface Card {
  readonly id: number;
  readonly uuid: string;
  readonly bundle: string;
  readonly label: string;
  readonly language: string;
  readonly isPublished: boolean;
  /** True if access rules close it or its files, and do not let the actor in. */
  readonly isRestricted: boolean;
  /** The label of its model, and the outline of that. */
  readonly model: string | undefined;
  readonly icon: string | undefined;
  /** EDTF as stored. */
  readonly date: string | undefined;
  /**
   * The number of members that the actor may view, for collections: at most `MAX_LISTED` + 1. Undefined for a collection with
   * more members, some of them hidden.
   */
  readonly members: number | undefined;
  readonly thumbnail: Thumbnail | undefined;
  /** True if it has no thumbnail yet, and one is being made. */
  readonly isPrepared: boolean;
  /** The reason why its thumbnail could not be made, for an actor who may change it. */
  readonly failure: string | undefined;
  /** True for a member that belongs to another node first: its page needs to know through which one the reader came. */
  readonly isGuest: boolean;
}

export interface Thumbnail {
  /** The path of the file. */
  readonly path: string;
  /** The size in pixels, if it is known. */
  readonly width: number | undefined;
  readonly height: number | undefined;
}

/**
 * The nodes of a list: the members of a node, the nodes that refer to a term by any field, the nodes of an owner, all
 * collections, the collections that belong to no other node, or the newest nodes except the pages of books.
 */
export type CardSelection =
  | { readonly members: number }
  | { readonly term: number }
  | { readonly owner: number }
  | 'collections'
  | 'top collections'
  | 'newest';

/** A page of a list; `page` counts from 0. */
interface CardRange {
  readonly page: number;
  readonly size: number;
  /** Default: `weight` for members, `title` for collections, otherwise `newest`. */
  readonly sort?: CardSort | undefined;
}

export interface CardPage {
  readonly cards: readonly Card[];
  /** The number of nodes in the list that the actor may view, at most `MAX_LISTED`. The newest have one page. */
  readonly total: number;
  /** True if the list has more nodes than `total`. */
  readonly hasMore: boolean;
}

/** The order of a list unless another is wanted. */
const DEFAULT_SORTS: Readonly<Record<ListName, CardSort>> = {
  ...{ members: 'weight', term: 'newest', owner: 'newest' },
  ...{ collections: 'title', 'top collections': 'title', newest: 'newest' },
};

const queriesOf = madeOnce((model: ContentModel) => ({
  lists: new Map<string, ReturnType<typeof createCardList>>(),
  rows: createCardRows(model),
}));

function listQuery(model: ContentModel, list: ListName, sort: CardSort) {
  const { lists } = queriesOf(model);
  const key = `${list} ${sort}`;
  const known = lists.get(key) ?? createCardList(model, list, sort);
  lists.set(key, known);
  return known;
}

/**
 * Finds a page of a list, with the nodes that the actor may view, and counts these. One query finds the ids and the
 * number in indexes, at most `MAX_LISTED` of them: a term of 200,000 nodes, or a page far behind the end, takes some
 * milliseconds. A second one reads the rows of the page. Sorting by title or date reads the rows of the list; a list of more
 * than `MAX_LISTED` nodes is sorted among its first ones. Nodes that the actor may not view are skipped one by one, which
 * takes about half a millisecond for 1,000.
 */
export async function findCards(
  services: Pick<BaseServices, 'database' | 'model'>,
  actor: Actor,
  selection: CardSelection,
  { page, size, sort }: CardRange,
): Promise<CardPage> {
  const { database, model } = services;
  const { name, target } = listOf(selection);
  const find = listQuery(model, name, sort ?? DEFAULT_SORTS[name])(actor);
  const offset = Math.min(page * size, MAX_LISTED);
  const row = await database.get(find({ target, ...viewerValues(actor), limit: size, offset }));
  const ids = row?.ids ?? '[]';
  const cards = ids === '[]' ? [] : await readCards(services, actor, ids, name === 'members' ? target : null);
  const total = row?.total ?? 0;
  return { cards, total: Math.min(total, MAX_LISTED), hasMore: total > MAX_LISTED };
}

function listOf(selection: CardSelection): { name: ListName; target: number } {
  if (typeof selection === 'string') return { name: selection, target: 0 };
  if ('members' in selection) return { name: 'members', target: selection.members };
  return 'term' in selection ? { name: 'term', target: selection.term } : { name: 'owner', target: selection.owner };
}

/** Returns the cards of nodes in the order of their ids, without those that the actor may not view. */
export async function findCardsOf(
  services: Pick<BaseServices, 'database' | 'model'>,
  actor: Actor,
  ids: readonly number[],
): Promise<Card[]> {
  return ids.length === 0 ? [] : readCards(services, actor, JSON.stringify(ids), null);
}

/** Returns the cards of a JSON list of ids in its order, without nodes that the actor may not view. `parent` has them as members. */
async function readCards(
  { database, model }: Pick<BaseServices, 'database' | 'model'>,
  actor: Actor,
  ids: string,
  parent: number | null,
): Promise<Card[]> {
  const rows = await database.all(queriesOf(model).rows(actor)({ ids, parent, ...viewerValues(actor) }));
  const cards = rows.filter(({ bundle }) => model.nodeTypes.has(bundle)).map((row) => toCard(row, model, actor));
  const pictureless = cards.filter(({ thumbnail, isPrepared }) => thumbnail === undefined && !isPrepared);
  const failures = await findFailedThumbnails(
    database,
    actor,
    pictureless.map(({ id }) => id),
  );
  return failures.size === 0 ? cards : cards.map((card) => ({ ...card, failure: failures.get(card.id) }));
}

function toCard(
  { modelLabel, isAwaited, isGuest, accessSet, ...row }: CardRow,
  { defaultLanguage, models }: ContentModel,
  { sight, rightsOf }: Actor,
): Card {
  const thumbnail = toThumbnail(row.thumbnail);
  return {
    id: row.id,
    uuid: row.uuid,
    bundle: row.bundle,
    label: row.label,
    language: languageIn(row.language) ?? defaultLanguage,
    isPublished: row.status,
    isRestricted: rightsOf(accessSet) !== undefined && (sight.isUnlimited || !sight.seesFiles(accessSet, [])),
    model: modelLabel ?? undefined,
    icon: models.of(row.modelUri).icon,
    date: row.date ?? undefined,
    members: row.members ?? undefined,
    thumbnail,
    isPrepared: thumbnail === undefined && isAwaited === 1,
    failure: undefined,
    isGuest: isGuest === 1,
  };
}

type ThumbnailRow = [uri: string, filemime: string, width: number | null, height: number | null];

/** Returns the picture of a column of `cardThumbnail`. */
export function toThumbnail(column: string | null): Thumbnail | undefined {
  if (column === null) return undefined;
  const [uri, filemime, width, height] = JSON.parse(column) as ThumbnailRow;
  if (showingOf(usualType(filemime)) !== 'image') return undefined;
  return { path: filePath(uri), width: width ?? undefined, height: height ?? undefined };
}
