import { eq, type SQL, sql } from 'drizzle-orm';
import { madeOnce } from '../../../base/made-once.ts';
import type { Database } from '../../../database/database.ts';
import { query } from '../../../database/query-builder.ts';
import { references } from '../../../database/schema/references.ts';
import { namesOf, requireOne } from '../../../database/sql.ts';
import { type Named, plain, prepare } from '../../../database/statement.ts';
import { ownSetOf } from '../../access/set-columns.ts';
import type { Draft } from '../base-field.ts';
import type { Content } from '../content.ts';
import { failIfCircular } from '../fill/term-hierarchy.ts';
import type { ContentKind } from '../kinds.ts';
import { COLUMNS, type ContentWrite, documentOfParts, joinLists, type RowValues, rowValues } from './content-rows.ts';
import { forgetPlacesOf } from './member-places.ts';
import { placementStatements } from './place-content.ts';
import { referenceStatements, WEIGHT_FIELD } from './reference-statements.ts';
import { settleRemoved } from './settle-removed.ts';
import { belongingStatements, conflictError } from './write-content.ts';
import { checksumOf, supersede } from './write-revision.ts';

/** The row that an update replaces, whose version no other write may have changed. */
interface ReplacedRow {
  readonly content: Content;
  readonly alias: Pick<Draft, 'alias' | 'aliasId'>;
  readonly keepsRevision: boolean;
}

type UpdateValues = RowValues & { readonly id: number; readonly previousVersion: number };

const statementsOf = madeOnce(({ type, table, revisionTable }: ContentKind) => {
  const update = (revisionId: SQL) =>
    prepare((values: Named<UpdateValues>) => {
      const assignments = COLUMNS.map((name) => sql`${namesOf(table[name])} = ${values[name]}`);
      return plain(sql`UPDATE ${table}
        SET ${namesOf(table.revisionId)} = ${revisionId}, ${sql.join(assignments, sql`, `)},
          ${namesOf(table.document)} = ${documentOfParts(values, table.id, revisionId)}
        WHERE ${table.id} = ${values.id} AND ${table.version} = ${values.previousVersion}`);
    });
  return {
    /** Updates the row with the revision that the previous statement inserted. */
    updateRow: update(sql`last_insert_rowid()`),
    updateRowOfRevision: update(sql`${table.revisionId}`),
    updateRevision: prepare(({ id, log, checksum }: Named<{ id: number; log: string | null; checksum: string }>) =>
      query.update(revisionTable).set({ log, checksum }).where(eq(revisionTable.id, id)),
    ),
    removeReferences: prepare(({ type, id }: Named<{ type: string; id: number }>) =>
      query.delete(references).where(sql`${references.sourceType} = ${type} AND ${references.sourceId} = ${id}`),
    ),
    findIds: prepare(({ id }: Named<{ id: number }>) =>
      query
        .select({ revisionId: table.revisionId, aliasId: table.aliasId, accessSet: ownSetOf(type, table.id) })
        .from(table)
        .where(eq(table.id, id)),
    ),
  };
});

/** Replaces a row. Rejects with a failed guard if it changed since it was read, or if a target was deleted. */
export async function updateContent(
  database: Database,
  write: ContentWrite,
  replaced: ReplacedRow,
): Promise<Pick<Draft, 'revisionId' | 'aliasId' | 'accessSet'>> {
  const { revisionId, accessSet } = replaced.content.head;
  try {
    const { ids } = await database.write(updateBatch(write, replaced));
    return ids[0] ?? { revisionId, aliasId: replaced.alias.aliasId, accessSet };
  } catch (error) {
    throw conflictError(error, write);
  }
}

/** Returns the batch that replaces a row, which may be a part of another one. */
export function updateBatch(write: ContentWrite, { content, alias, keepsRevision }: ReplacedRow) {
  const { kind, draft } = write;
  const { id, revisionLog: log } = draft;
  const { version: previousVersion, revisionId } = content.head;
  const statements = statementsOf(kind);
  const values = { ...rowValues(write), id, previousVersion };
  const rows = keepsRevision
    ? [statements.updateRowOfRevision(values), requireOne('stale')]
    : [...supersede(write, content), statements.updateRow(values), requireOne('stale')];
  if (keepsRevision) rows.push(statements.updateRevision({ id: Number(revisionId), log, checksum: checksumOf(write) }));
  return {
    before: [...settleRemoved(content), ...forgottenPlaces(write, content), ...write.before],
    rows,
    previousReferences: statements.removeReferences({ type: kind.type, id }),
    references: referenceStatements(kind, [write], [id]),
    hierarchy: hierarchyStatements(write),
    belonging: belongingStatements(write, alias),
    access: placementStatements([write]),
    indexing: write.indexing,
    after: joinLists(write.after),
    ids: statements.findIds({ id }),
  };
}

/** In a document. Quotes within texts are escaped. */
const WEIGHT = new RegExp(`"${WEIGHT_FIELD}":\\[\\{"value":(-?\\d+)`);

/** A new weight in the field of a member holds in all items to which it belongs. */
function forgottenPlaces({ kind, draft, values }: ContentWrite, { document }: Content) {
  if (kind.type !== 'node') return [];
  const before = WEIGHT.exec(document)?.[1];
  const after = values[WEIGHT_FIELD]?.[0]?.value;
  return before === (typeof after === 'number' ? String(after) : undefined) ? [] : [forgetPlacesOf({ id: draft.id })];
}

function hierarchyStatements({ kind, draft }: ContentWrite) {
  const parents = (draft.base.parent ?? []).map(({ target_id }) => Number(target_id));
  return kind.type === 'taxonomy_term' && parents.length > 0 ? [failIfCircular(draft.id, parents)] : [];
}
