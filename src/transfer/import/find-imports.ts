import { and, desc, eq, type SQL, sql } from 'drizzle-orm';
import { type BulkRun, findTableUpdates } from '../../bulk/find-runs.ts';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { nodes } from '../../database/schema/content.ts';
import { importItems } from '../../database/schema/loading.ts';
import { runs } from '../../database/schema/runs.ts';
import { users } from '../../database/schema/users.ts';
import { type Named, prepare, statementOf } from '../../database/statement.ts';
import { RUN_COLUMNS } from '../../runs/runs.ts';
import { importRuns, nameOfImport } from './import-run.ts';
import { countLoaded } from './journal-items.ts';

/** An import that creates nodes, by a command or in a browser. Times are seconds since 1970. */
export interface CreatingImport {
  readonly id: number;
  /** The name of its table. */
  readonly name: string;
  /** Null for imports of earlier versions. */
  readonly userId: number | null;
  readonly userName: string | null;
  /** The rows of the table, and the ones whose nodes are created. */
  readonly rows: number;
  readonly nodes: number;
  readonly isUnderWay: boolean;
  /** The problem that stopped it. */
  readonly problem: string | undefined;
  readonly createdAt: number;
  /** Undefined while rows are left. */
  readonly endedAt: number | undefined;
  /** The bulk change that deletes what it has created. */
  readonly deletedBy: number | undefined;
}

/** A table that was imported: one that has created nodes, or one that changes content. */
export type ListedImport =
  | { readonly kind: 'create'; readonly import: CreatingImport }
  | { readonly kind: 'update'; readonly run: BulkRun };

const importsWith = (condition: SQL | undefined) =>
  query
    .select({ ...RUN_COLUMNS, userName: sql<string | null>`${users.name}` })
    .from(runs)
    .leftJoin(users, eq(users.id, runs.userId))
    .where(and(importRuns.isOfKind, condition))
    .orderBy(desc(runs.id));

async function read(database: Database, condition: SQL | undefined, limit: number): Promise<CreatingImport[]> {
  const rows = await database.all(statementOf(importsWith(condition).limit(limit)));
  return Promise.all(
    rows.map(async ({ userName, ...row }) => {
      const { id, about, userId, result, isUnderWay, createdAt, endedAt } = importRuns.toRun(row);
      return {
        ...{ id, name: nameOfImport(about), userId, userName, rows: about.rows, isUnderWay, createdAt },
        nodes: await countLoaded(database, { id }),
        problem: result ?? undefined,
        endedAt: endedAt ?? undefined,
        deletedBy: about.deletedBy,
      };
    }),
  );
}

/** Returns the newest imports of a user, or of all users, the newest first. */
export async function findImports(
  database: Database,
  userId: number | undefined,
  limit: number,
): Promise<ListedImport[]> {
  database.refresh();
  const [creating, updates] = await Promise.all([
    read(database, userId === undefined ? undefined : eq(runs.userId, userId), limit),
    findTableUpdates(database, userId, limit),
  ]);
  const all: ListedImport[] = [
    ...creating.map((each) => ({ kind: 'create' as const, import: each })),
    ...updates.map((run) => ({ kind: 'update' as const, run })),
  ];
  const idOf = (each: ListedImport) => (each.kind === 'create' ? each.import.id : each.run.id);
  return all.sort((one, other) => idOf(other) - idOf(one)).slice(0, limit);
}

/** Returns an import that creates nodes. Undefined if it does not exist. */
export async function findImport(database: Database, id: number): Promise<CreatingImport | undefined> {
  database.refresh();
  return (await read(database, eq(runs.id, id), 1))[0];
}

/** A node that an import has created. */
export interface CreatedNode {
  readonly id: number;
  /** The value of its id column in the table. */
  readonly rowId: string;
  /** Null if it was deleted since. */
  readonly label: string | null;
}

interface CreatedPage {
  readonly limit: number;
  readonly offset: number;
}

const findCreatedPage = prepare(({ runId, limit, offset }: Named<CreatedPage & { runId: number }>) =>
  query
    .select({ id: importItems.entityId, rowId: importItems.rowId, label: sql<string | null>`${nodes.label}` })
    .from(importItems)
    .leftJoin(nodes, eq(nodes.id, importItems.entityId))
    .where(and(eq(importItems.runId, runId), sql`${importItems.part} = ''`))
    .orderBy(importItems.entityId)
    .limit(limit)
    .offset(offset),
);

/** Returns a page of the nodes that an import has created, by their ids. */
export function findCreatedNodes(database: Database, runId: number, page: CreatedPage): Promise<CreatedNode[]> {
  return database.all(findCreatedPage({ ...page, runId }));
}
