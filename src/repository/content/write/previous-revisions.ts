import { sql } from 'drizzle-orm';
import { madeOnce } from '../../../base/made-once.ts';
import { namesOf } from '../../../database/sql.ts';
import { type Named, plain, prepare, type Statement } from '../../../database/statement.ts';
import { restOf } from '../content.ts';
import type { ContentKind } from '../kinds.ts';
import { type DocumentParts, documentOfParts, documentParts, nextIdOf } from './content-rows.ts';
import type { ContentPlan } from './decide-content.ts';
import { checksumOf, type RevisionValues, revisionValues } from './write-revision.ts';

type Snapshot = DocumentParts & {
  readonly bundle: string;
  readonly ownerId: number;
  readonly status: string;
  readonly changed: number;
};
type Rewrite = DocumentParts & {
  readonly checksum: string;
  readonly entity: number;
  readonly index: number;
  readonly count: number;
};

const statementsOf = madeOnce(({ table, revisionTable }: ContentKind) => {
  const { id, entityId, created, userId, log, checksum, snapshot } = revisionTable;
  return {
    /** The entity, inserted later in the transaction, gets the next id. */
    insert: prepare((values: Named<RevisionValues>) =>
      plain(sql`INSERT INTO ${revisionTable} (${namesOf(entityId, created, userId, log, checksum)})
        VALUES (${nextIdOf(table)}, ${values.created}, ${values.userId}, ${values.log}, ${values.checksum})`),
    ),
    keepSnapshot: prepare((values: Named<Snapshot>) =>
      plain(sql`UPDATE ${revisionTable} SET ${namesOf(snapshot)} = json_object('bundle', ${values.bundle},
          'ownerId', ${values.ownerId}, 'status', json(${values.status}), 'changed', ${values.changed},
          'document', ${documentOfParts(values, entityId, id)})
        WHERE ${id} = last_insert_rowid()`),
    ),
    rewrite: prepare((values: Named<Rewrite>) =>
      plain(sql`UPDATE ${revisionTable} SET ${namesOf(checksum)} = ${values.checksum},
          ${namesOf(snapshot)} = json_set(${snapshot}, '$.document', ${documentOfParts(values, entityId, id)})
        WHERE ${id} = (SELECT ${id} FROM ${revisionTable} WHERE ${entityId} = ${values.entity}
            ORDER BY ${id} LIMIT 1 OFFSET ${values.index})
          AND (SELECT count(*) FROM ${revisionTable} WHERE ${entityId} = ${values.entity}) = ${values.count}`),
    ),
  };
});

/**
 * Returns statements that write the history of content before its insertion, oldest first, as if the revisions had been
 * superseded here.
 */
export function previousRevisions(kind: ContentKind, history: readonly ContentPlan[]): Statement[] {
  const { insert, keepSnapshot } = statementsOf(kind);
  return history.flatMap(({ draft, values }) => {
    const revised = { kind, draft, rest: restOf(kind, draft, values) };
    const { bundle, ownerId, status, changed } = draft;
    return [
      insert(revisionValues(revised)),
      keepSnapshot({ bundle, ownerId, status: String(status), changed, ...documentParts(revised) }),
    ];
  });
}

/**
 * Returns statements that rewrite the history of content with other references. They change nothing if the number of
 * its revisions has changed.
 */
export function rewritePreviousRevisions(
  kind: ContentKind,
  entity: number,
  history: readonly ContentPlan[],
): Statement[] {
  const { rewrite } = statementsOf(kind);
  return history.map(({ draft, values }, index) => {
    const revised = { kind, draft, rest: restOf(kind, draft, values) };
    const count = history.length + 1;
    return rewrite({ checksum: checksumOf(revised), ...documentParts(revised), entity, index, count });
  });
}
