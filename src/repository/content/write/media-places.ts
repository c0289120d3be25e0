import { eq, sql } from 'drizzle-orm';
import { unprocessable } from '../../../base/errors.ts';
import { query } from '../../../database/query-builder.ts';
import { media } from '../../../database/schema/content.ts';
import { mediaPlaces, references } from '../../../database/schema/references.ts';
import { failIf, isAmong, namesOf } from '../../../database/sql.ts';
import { type Named, plain, prepare } from '../../../database/statement.ts';
import type { BaseServices } from '../../base-services.ts';
import { isMediaOf, isNodeOf } from '../../relations.ts';
import { retrying } from '../../retrying.ts';

/** The maximum number of files of an item that are put into an order. */
const MAX_ORDERED = 2_000;

const { mediaId, nodeId, weight } = mediaPlaces;

type Node = { readonly node: number };

const idsOf = (node: Named<Node>['node']) => sql`(SELECT json_group_array(id) FROM (
  SELECT ${references.sourceId} AS id FROM ${references} WHERE ${isMediaOf(references, node)}
  ORDER BY ${references.weight}, ${references.sourceId}))`;

const findOrder = prepare(({ node }: Named<Node>) => plain(sql`SELECT ${idsOf(node)}`, { ids: sql<string>`ids` }));
const failIfChanged = prepare(({ node, ids }: Named<Node & { readonly ids: string }>) =>
  failIf('stale', sql`${idsOf(node)} <> ${ids}`),
);
const forgetPlacesOfNode = prepare(({ node }: Named<Node>) =>
  query.delete(mediaPlaces).where(eq(nodeId, sql`${node}`)),
);
const storePlaces = prepare(({ node, ids }: Named<Node & { readonly ids: string }>) =>
  plain(sql`INSERT INTO ${mediaPlaces} (${namesOf(mediaId, nodeId, weight)})
    SELECT j.value, ${node}, j.key FROM json_each(${ids}) j`),
);
const movePlaces = prepare(({ node }: Named<Node>) =>
  plain(sql`UPDATE ${references} SET ${namesOf(references.weight)} = (SELECT ${weight} FROM ${mediaPlaces}
      WHERE ${mediaId} = ${references.sourceId} AND ${nodeId} = ${node})
    WHERE ${isMediaOf(references, node)}`),
);

/**
 * Moves a file of an item by one place, to the front or to the back. Moves nothing at the end of the list, and for a media of
 * another item. Throws `unprocessable` for an item with too many files, and `conflict` as `retrying` does.
 */
export function moveMedia(
  { database }: Pick<BaseServices, 'database'>,
  node: number,
  medium: number,
  direction: 'forward' | 'back',
): Promise<void> {
  return retrying(database.refresh, async () => {
    const read = await database.get(findOrder({ node }));
    const before = read?.ids ?? '[]';
    // A media that names its node twice has one place.
    const ids = [...new Set(JSON.parse(before) as number[])];
    if (ids.length > MAX_ORDERED)
      throw unprocessable(`An item with more than ${MAX_ORDERED} files keeps the order in which they were added.`);
    const at = ids.indexOf(medium);
    const to = direction === 'forward' ? at - 1 : at + 1;
    const other = ids[to];
    if (at === -1 || other === undefined) return;
    ids[to] = medium;
    ids[at] = other;
    await database.write([
      failIfChanged({ node, ids: before }),
      forgetPlacesOfNode({ node }),
      storePlaces({ node, ids: JSON.stringify(ids) }),
      movePlaces({ node }),
    ]);
  });
}

/** Keeps the place that the references of a written media have got behind the others of its node. */
export const keepPlaces = prepare(({ uuid }: Named<{ readonly uuid: string }>) =>
  plain(sql`INSERT INTO ${mediaPlaces} (${namesOf(mediaId, nodeId, weight)})
    SELECT ${media.id}, ${references.targetId}, min(${references.weight})
    FROM ${media} CROSS JOIN ${references} ON ${isNodeOf(references, media.id)}
    WHERE ${media.uuid} = ${uuid} AND ${references.weight} IS NOT NULL GROUP BY ${references.targetId}
    ON CONFLICT DO NOTHING`),
);

/** Forgets the places of deleted media. */
export const forgetPlacesOfMedia = prepare(({ ids }: Named<{ readonly ids: string }>) =>
  query.delete(mediaPlaces).where(isAmong(mediaId, ids)),
);
/** Forgets the places of the media of deleted nodes. */
export const forgetPlacesOfMediaIn = prepare(({ ids }: Named<{ readonly ids: string }>) =>
  query.delete(mediaPlaces).where(isAmong(nodeId, ids)),
);
