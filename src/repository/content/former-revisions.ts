import type { InStatement } from '@libsql/client';
import type { FieldValues } from '../../model/content-model.ts';
import { checksumOf, revisionValues } from '../revisions/write-revision.ts';
import type { Draft } from './base-field.ts';
import { identityParts, restOf } from './content.ts';
import type { ContentKind } from './kinds.ts';
import { tableNames } from './write-content.ts';

/** What content was before its present revision. */
export interface FormerRevision {
  readonly draft: Draft;
  readonly values: FieldValues;
}

/**
 * Statements that write the history of content that is about to be made (`insertContent`, `before`), oldest first: the
 * revisions as they would be had they been superseded here.
 */
export function formerRevisions(kind: ContentKind, history: readonly FormerRevision[]): InStatement[] {
  const [table, revisions] = tableNames(kind);
  return history.flatMap(({ draft, values }): InStatement[] => {
    const [before, between] = identityParts(kind.names, draft.uuid);
    const rest = restOf(kind, draft, values);
    return [
      {
        // The id that the entity gets at the end of the same transaction.
        sql: `INSERT INTO ${revisions} (entity_id, created, user_id, log, checksum)
          VALUES (coalesce((SELECT seq FROM sqlite_sequence WHERE name = '${table}'), 0) + 1, ?, ?, ?, ?)`,
        args: revisionValues({ kind, draft, rest }),
      },
      {
        sql: `UPDATE ${revisions} SET snapshot = json_object('bundle', ?, 'ownerId', ?, 'status', json(?), 'changed', ?,
          'document', ? || entity_id || ? || id || ?) WHERE id = last_insert_rowid()`,
        args: [
          ...[draft.bundle, draft.ownerId, String(draft.status), draft.changed],
          ...[before, between, `}],${rest}`],
        ],
      },
    ];
  });
}

/**
 * Statements that write the history of content once more, which is the same but for what it refers to. Nothing happens
 * where there are other revisions by now.
 */
export function rewriteFormerRevisions(
  kind: ContentKind,
  entityId: number,
  history: readonly FormerRevision[],
): InStatement[] {
  const [, revisions] = tableNames(kind);
  return history.map(({ draft, values }, index): InStatement => {
    const [before, between] = identityParts(kind.names, draft.uuid);
    const rest = restOf(kind, draft, values);
    return {
      sql: `UPDATE ${revisions} SET checksum = ?,
          snapshot = json_set(snapshot, '$.document', ? || entity_id || ? || id || ?)
        WHERE id = (SELECT id FROM ${revisions} WHERE entity_id = ? ORDER BY id LIMIT 1 OFFSET ?)
          AND (SELECT count(*) FROM ${revisions} WHERE entity_id = ?) = ?`,
      args: [
        ...[checksumOf({ kind, draft, rest }), before, between, `}],${rest}`],
        ...[entityId, index, entityId, history.length + 1],
      ],
    };
  });
}
