import type { InStatement } from '@libsql/client';
import type { FieldValues } from '../../model/content-model.ts';
import type { Draft } from './base-field.ts';
import { uriRows } from './index-rows.ts';
import type { ContentKind } from './kinds.ts';

/** A term whose external addresses are to be kept. */
export interface TermWrite {
  readonly kind: ContentKind;
  readonly draft: Draft;
  readonly values: FieldValues;
}

/** Writes down which URIs a term stands for, instead of those from before. */
export function uriStatements({ kind, draft, values }: TermWrite, isUpdate: boolean): InStatement[] {
  const uris = uriRows(kind, values);
  const remove: InStatement = { sql: 'DELETE FROM term_uri WHERE term_id = ?', args: [draft.id] };
  const insert: InStatement = {
    sql: `INSERT INTO term_uri (term_id, field, delta, uri)
      SELECT e.id, j.value ->> 0, j.value ->> 1, j.value ->> 2 FROM taxonomy_term e, json_each(?) j WHERE e.uuid = ?`,
    args: [JSON.stringify(uris), draft.uuid],
  };
  return [...(isUpdate ? [remove] : []), ...(uris.length > 0 ? [insert] : [])];
}
