import { and, asc, count, eq, inArray } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { media, nodes } from '../../database/schema/content.ts';
import { files } from '../../database/schema/files.ts';
import { fixityChecks } from '../../database/schema/fixity.ts';
import { references } from '../../database/schema/references.ts';
import { isAmong, isText } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import { accessSetOf } from '../../repository/access/set-columns.ts';
import { isNodeOf, refersTo } from '../../repository/relations.ts';
import { PROBLEMS } from './verify-report.ts';
import { toVerifyRun, type VerifyRun, verifyRuns } from './verify-run.ts';

/** An item that a file belongs to. */
export interface OwnerItem {
  readonly id: number;
  readonly label: string;
  readonly bundle: string;
  readonly ownerId: number;
  readonly status: boolean;
  readonly accessSet: number;
}

/** A file that was not intact when it was last checked, with the media and the items that use it. */
export interface FileProblem {
  readonly fileId: number;
  readonly uri: string;
  readonly outcome: (typeof PROBLEMS)[number];
  readonly detail: string;
  /** Seconds since 1970. */
  readonly at: number;
  readonly mediaId: number | undefined;
  readonly items: readonly OwnerItem[];
}

const isPresent = and(eq(files.id, fixityChecks.fileId), eq(files.storageKey, fixityChecks.storageKey));
const isProblem = inArray(fixityChecks.outcome, [...PROBLEMS]);

const pageOfProblems = prepare(({ limit, offset }: Named<{ limit: number; offset: number }>) =>
  query
    .select({
      fileId: fixityChecks.fileId,
      uri: files.uri,
      outcome: fixityChecks.outcome,
      detail: fixityChecks.detail,
      at: fixityChecks.at,
    })
    .from(fixityChecks)
    .innerJoin(files, isPresent)
    .where(isProblem)
    .orderBy(asc(fixityChecks.outcome), asc(fixityChecks.fileId))
    .limit(limit)
    .offset(offset),
);
const countProblems = prepare(() =>
  query.select({ files: count() }).from(fixityChecks).innerJoin(files, isPresent).where(isProblem),
);
const mediaOfFiles = prepare(({ ids }: Named<{ ids: string }>) =>
  query
    .select({ fileId: references.targetId, mediaId: references.sourceId })
    .from(references)
    .where(
      and(refersTo(references, 'file'), isAmong(references.targetId, ids), isText(references.sourceType, 'media')),
    ),
);
const itemsOfMedia = prepare(({ ids }: Named<{ ids: string }>) => {
  const { id, label, bundle, ownerId, status } = nodes;
  return query
    .select({ mediaId: references.sourceId, id, label, bundle, ownerId, status, accessSet: accessSetOf(id) })
    .from(references)
    .innerJoin(media, eq(media.id, references.sourceId))
    .innerJoin(nodes, eq(nodes.id, references.targetId))
    .where(and(isNodeOf(references), isAmong(references.sourceId, ids)));
});
/** Returns the last checks, the newest first. */
export async function findRuns(database: Database, limit: number): Promise<VerifyRun[]> {
  return (await verifyRuns.list(database, undefined, limit)).map(toVerifyRun);
}

/** Returns a page of the files that are not intact, with the number of all. */
export async function findProblemPage(
  database: Database,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ readonly total: number; readonly problems: readonly FileProblem[] }> {
  const { rows, total } = await database.read({ rows: pageOfProblems(page), total: countProblems() });
  const uses = await database.all(mediaOfFiles({ ids: JSON.stringify(rows.map(({ fileId }) => fileId)) }));
  const mediaOf = new Map(uses.map(({ fileId, mediaId }) => [fileId, mediaId]));
  const items = await database.all(itemsOfMedia({ ids: JSON.stringify([...mediaOf.values()]) }));
  const itemsOf = Map.groupBy(items, ({ mediaId }) => mediaId);
  const problems = rows.map((row) => {
    const mediaId = mediaOf.get(row.fileId);
    return {
      ...row,
      outcome: row.outcome as FileProblem['outcome'],
      detail: row.detail ?? '',
      mediaId,
      items: mediaId === undefined ? [] : (itemsOf.get(mediaId) ?? []),
    };
  });
  return { total: total[0]?.files ?? 0, problems };
}
