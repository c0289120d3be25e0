import { eq } from 'drizzle-orm';
import { query } from '../../../database/query-builder.ts';
import { nodes } from '../../../database/schema/content.ts';
import { type Named, prepare, type Statement } from '../../../database/statement.ts';
import { placeMedia, placeWritten } from '../../access/placement.ts';
import { accessSetOf } from '../../access/set-columns.ts';
import type { ContentWrite } from './content-rows.ts';

/** Returns the statements that keep the access sets of written content of one kind. */
export function placementStatements(group: readonly ContentWrite[]): Statement[] {
  const written = group.flatMap(({ draft: { uuid }, placement }) => (placement ? [{ uuid, ...placement }] : []));
  const [first] = group;
  if (first?.kind.type === 'media') return placeMedia(written);
  const nobody = written.every((each) => each.nobody);
  return placeWritten(written, nobody, Math.max(0, ...group.map(({ draft }) => draft.changed)));
}

/** Returns true if the database decides the access set of a write. */
export function isPlaced({ kind, placement }: ContentWrite): boolean {
  if (kind.type !== 'node' || placement === undefined) return false;
  return !placement.nobody || placement.rule !== null || placement.termsRule !== null;
}

/** Finds the access set of a node by its UUID. */
export const findSet = prepare(({ uuid }: Named<{ readonly uuid: string }>) =>
  query
    .select({ accessSet: accessSetOf(nodes.id) })
    .from(nodes)
    .where(eq(nodes.uuid, uuid)),
);
