import { and, desc, eq, sql } from 'drizzle-orm';
import { ServiceError } from '../../base/errors.ts';
import type { NewItem } from '../../bulk/run-queries.ts';
import { startPlannedRun } from '../../bulk/start-run.ts';
import type { Database } from '../../database/database.ts';
import { CLOCK } from '../../database/database-time.ts';
import { failedGuard } from '../../database/errors.ts';
import { query } from '../../database/query-builder.ts';
import { importItems } from '../../database/schema/loading.ts';
import { runs } from '../../database/schema/runs.ts';
import { requireOne } from '../../database/sql.ts';
import { type Named, prepare, statementOf } from '../../database/statement.ts';
import type { Actor } from '../../repository/actor.ts';
import type { CreatingImport } from './find-imports.ts';
import { IS_KEPT, importRuns } from './import-run.ts';

const GROUP = 1_000;

// The last ones first: most members follow their parents.
const findNodes = prepare(({ runId }: Named<{ runId: number }>) =>
  query
    .select({ id: importItems.entityId })
    .from(importItems)
    .where(and(eq(importItems.runId, runId), sql`${importItems.part} = ''`))
    .orderBy(desc(importItems.entityId)),
);

/**
 * Starts the bulk change that deletes the nodes of an import with their media and files, except those that have changed
 * since. The same table can then be imported again. Returns the id of the change. Throws `conflict` while the import runs, and
 * if it is deleted already.
 */
export async function deleteImport(
  database: Database,
  actor: Pick<Actor, 'id'>,
  { id, name, isUnderWay, deletedBy }: CreatingImport,
): Promise<number> {
  if (isUnderWay) throw new ServiceError('conflict', 'The import is running. Stop it first.');
  if (deletedBy !== undefined) throw deletedAlready();
  const created = await database.all(findNodes({ runId: id }));
  const parameters = { targetLabel: name, deletesImport: id, withMedia: true, withFiles: true };
  const mark = (deletion: number) => [
    statementOf(
      query
        .update(runs)
        .set({
          about: sql`json_set(${runs.about}, '$.deletedBy', ${deletion})`,
          endedAt: sql`coalesce(${runs.endedAt}, ${CLOCK})`,
        })
        .where(and(importRuns.isOfKind, eq(runs.id, id), IS_KEPT)),
    ),
    requireOne('lost'),
  ];
  const change = { type: 'node', action: 'delete', parameters } as const;
  const groups = groupsOf(created.map((node) => [node.id]));
  try {
    return await startPlannedRun(database, actor, change, groups, mark);
  } catch (error) {
    throw failedGuard(error) === 'guard_lost' ? deletedAlready() : error;
  }
}

function deletedAlready(): ServiceError {
  return new ServiceError('conflict', 'What this import has created is deleted already.');
}

function* groupsOf(all: readonly NewItem[]): Generator<readonly NewItem[]> {
  for (let start = 0; start < all.length; start += GROUP) yield all.slice(start, start + GROUP);
}
