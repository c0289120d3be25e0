import { sql } from 'drizzle-orm';
import { query } from '../../database/query-builder.ts';
import { references } from '../../database/schema/references.ts';
import { type Named, prepare } from '../../database/statement.ts';
import type { BaseServices } from '../base-services.ts';
import { isMemberOf } from '../relations.ts';

const lastWeight = prepare(({ id }: Named<{ readonly id: number }>) =>
  query
    .select({ weight: sql<number | null>`max(${references.weight})` })
    .from(references)
    .where(isMemberOf(references, id)),
);

/** Returns the weight for a further member behind all members of a node. */
export async function nextWeight({ database }: BaseServices, nodeId: number): Promise<number> {
  return ((await database.get(lastWeight({ id: nodeId })))?.weight ?? 0) + 1;
}
