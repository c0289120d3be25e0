import { and, eq, or, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { query } from '../../../database/query-builder.ts';
import { memberPlaces, references } from '../../../database/schema/references.ts';
import { isAmong, namesOf, nested } from '../../../database/sql.ts';
import { type Named, plain, prepare } from '../../../database/statement.ts';
import { isMemberOf, isParentOf } from '../../relations.ts';

const { memberId, parentId, weight } = memberPlaces;
const other = alias(references, 'other');

type Place = { readonly member: number; readonly parent: number };

/**
 * Gives a future member the place behind all members of an item, if these are in an order. For the transaction that writes the
 * reference, before it.
 */
export const placeAtEnd = prepare(({ member, parent }: Named<Place>) =>
  plain(sql`INSERT INTO ${memberPlaces} (${namesOf(memberId, parentId, weight)})
    SELECT ${member}, ${parent}, last.weight + 1
    FROM (SELECT max(${references.weight}) AS weight FROM ${references} WHERE ${isMemberOf(references, parent)}) last
    WHERE last.weight IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ${references}
      WHERE ${isParentOf(references, member)} AND ${references.targetId} = ${parent})
    ON CONFLICT (${namesOf(memberId, parentId)}) DO UPDATE SET ${namesOf(weight)} = excluded.weight`),
);

/** The place of a member, and whether it is apart from its field of weight: it belongs to other items, or has a place already. */
export const findPlace = prepare(({ member, parent }: Named<Place>) =>
  query
    .select({
      weight: references.weight,
      isApart: nested(sql<number>`((SELECT count(DISTINCT ${other.targetId}) > 1 FROM ${references} ${other}
          WHERE ${isParentOf(other, member)})
        OR EXISTS (SELECT 1 FROM ${memberPlaces} WHERE ${memberId} = ${member} AND ${parentId} = ${parent}))`),
    })
    .from(references)
    .where(and(isParentOf(references, member), eq(references.targetId, sql`${parent}`)))
    .limit(1),
);

/** Stores the place of a member. Null: that of its field of weight. */
export const storePlace = {
  keep: prepare((values: Named<Place & { readonly next: number }>) =>
    plain(sql`INSERT INTO ${memberPlaces} (${namesOf(memberId, parentId, weight)})
      VALUES (${values.member}, ${values.parent}, ${values.next})
      ON CONFLICT (${namesOf(memberId, parentId)}) DO UPDATE SET ${namesOf(weight)} = excluded.weight`),
  ),
  forget: prepare(({ member, parent }: Named<Place>) =>
    query.delete(memberPlaces).where(and(eq(memberId, sql`${member}`), eq(parentId, sql`${parent}`))),
  ),
};

/** Moves the reference of a member to a place. Changes nothing if it has moved since. */
export const movePlace = prepare(
  (values: Named<Place & { readonly before: number | null; readonly next: number | null }>) =>
    query
      .update(references)
      .set({ weight: sql`${values.next}` })
      .where(
        and(
          isParentOf(references, values.member),
          eq(references.targetId, sql`${values.parent}`),
          sql`${references.weight} IS ${values.before}`,
        ),
      ),
);

/** Forgets the places of a member whose field of weight has changed: the last change decides. */
export const forgetPlacesOf = prepare(({ id }: Named<{ id: number }>) =>
  query.delete(memberPlaces).where(eq(memberId, sql`${id}`)),
);

/** Forgets all places of deleted nodes and of their members. */
export const forgetPlaces = prepare(({ ids }: Named<{ ids: string }>) =>
  query.delete(memberPlaces).where(or(isAmong(memberId, ids), isAmong(parentId, ids))),
);
