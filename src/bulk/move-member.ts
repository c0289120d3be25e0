import type { InStatement } from '@libsql/client';
import type { Database } from '../database/database.ts';
import { failedGuard } from '../database/errors.ts';
import { requireOne } from '../database/sql.ts';
import type { FieldValues } from '../model/content-model.ts';
import type { Content } from '../repository/content/content.ts';
import { findPlace, movePlace, storePlace } from '../repository/content/write/member-places.ts';
import { WEIGHT_FIELD } from '../repository/content/write/reference-statements.ts';
import type { Change } from './change-item.ts';
import { ItemSkipped } from './item-skipped.ts';

/** The place of a member that its field of weight does not decide. */
interface OwnPlace {
  readonly member: number;
  readonly parent: number;
  readonly weight: number | null;
}

/** Returns the place of a member that belongs to several items, or has a place of its own already. Undefined for any other. */
export async function findOwnPlace(
  database: Database,
  { head }: Content,
  parent: number,
): Promise<OwnPlace | undefined> {
  const place = await database.get(findPlace({ member: head.id, parent }));
  return place?.isApart === 1 ? { member: head.id, parent, weight: place.weight } : undefined;
}

/** Moves a member among the members of one item. Its field, its revision and its places in other items stay. */
export async function moveMember(
  database: Database,
  { member, parent, weight }: OwnPlace,
  planned: Change | undefined,
  settle: (change: Change) => readonly InStatement[],
): Promise<void> {
  if (planned === undefined) throw new ItemSkipped('Its earlier value is no longer known.');
  const [before, next] = [weightIn(planned.before), weightIn(planned.after)];
  if (weight !== before) throw new ItemSkipped(CHANGED);
  const store = next === null ? storePlace.forget({ member, parent }) : storePlace.keep({ member, parent, next });
  try {
    await database.write([movePlace({ member, parent, before, next }), requireOne('stale'), store, ...settle(planned)]);
  } catch (error) {
    if (failedGuard(error) === 'guard_stale') throw new ItemSkipped(CHANGED);
    throw error;
  }
}

const CHANGED = 'It has been changed since.';

function weightIn(values: FieldValues): number | null {
  const value = values[WEIGHT_FIELD]?.[0]?.value;
  return typeof value === 'number' ? value : null;
}
