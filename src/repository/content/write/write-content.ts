import { and, eq, sql } from 'drizzle-orm';
import { madeOnce } from '../../../base/made-once.ts';
import { failedUniqueness } from '../../../database/errors.ts';
import { query } from '../../../database/query-builder.ts';
import { terms } from '../../../database/schema/content.ts';
import { files } from '../../../database/schema/files.ts';
import { termUris } from '../../../database/schema/references.ts';
import { pathAliases } from '../../../database/schema/system.ts';
import { isAmong, literal, namesOf } from '../../../database/sql.ts';
import { type Named, plain, prepare, type Statement } from '../../../database/statement.ts';
import { entityPath } from '../../../paths.ts';
import type { ContentType } from '../../access-rule.ts';
import { aliasTaken, uuidTaken } from '../../errors.ts';
import type { Draft } from '../base-field.ts';
import type { ContentKind } from '../kinds.ts';
import { adoptParagraphs } from './adopt-paragraphs.ts';
import type { ContentWrite } from './content-rows.ts';
import { keepPlaces } from './media-places.ts';
import { referenceRows, uriRows } from './reference-statements.ts';

const statementsOf = madeOnce(({ type, table }: ContentKind) => {
  const aliasId = sql`(SELECT ${pathAliases.id} FROM ${pathAliases} WHERE ${pathAliases.alias} = `;
  return {
    /** Inserts an alias for the entity with a UUID. */
    insertAlias: prepare((values: Named<{ uuid: string; alias: string; langcode: string; entity: string }>) =>
      plain(sql`INSERT INTO ${pathAliases}
          (${namesOf(pathAliases.uuid, pathAliases.path, pathAliases.alias, pathAliases.langcode)})
        SELECT ${values.uuid}, ${literal(pathPrefix(type))} || ${table.id}, ${values.alias}, ${values.langcode}
        FROM ${table} WHERE ${table.uuid} = ${values.entity}`),
    ),
    /** Writes the id of its alias into the row and the document of an entity. */
    linkAlias: prepare(({ alias, entity }: Named<{ alias: string | null; entity: string }>) =>
      query
        .update(table)
        .set({
          aliasId: sql`${aliasId}${alias})`,
          document: sql`json_set(${table.document}, '$.path[0].pid', ${aliasId}${alias}))`,
        })
        .where(eq(table.uuid, entity)),
    ),
  };
});

const removeAliases = prepare((values: Named<{ path: string; alias: string | null; previous: number }>) => {
  const { path, alias, id } = pathAliases;
  const isReplaced = sql`(${values.alias} IS NULL OR ${id} = ${values.previous} OR ${alias} = ${values.alias})`;
  return query.delete(pathAliases).where(and(eq(path, values.path), isReplaced));
});

const removeUris = prepare(({ id }: Named<{ id: number }>) => query.delete(termUris).where(eq(termUris.termId, id)));

const insertUris = prepare(({ list, uuid }: Named<{ list: string; uuid: string }>) =>
  plain(sql`INSERT INTO ${termUris} (${namesOf(termUris.termId, termUris.field, termUris.delta, termUris.uri)})
    SELECT ${terms.id}, j.value ->> 0, j.value ->> 1, j.value ->> 2 FROM ${terms}, json_each(${list}) j
    WHERE ${terms.uuid} = ${uuid}`),
);

const makePermanent = prepare(({ time, ids }: Named<{ time: number; ids: string }>) =>
  query
    .update(files)
    .set({ status: true, changed: time, version: sql`${files.version} + 1` })
    .where(and(eq(files.status, false), isAmong(files.id, ids))),
);

/**
 * Returns statements for the other rows of an entity, once its own is written: paragraphs, URIs, files and alias.
 * `stored` is the alias from before; undefined for a new entity.
 */
export function belongingStatements(
  write: ContentWrite,
  stored: Pick<Draft, 'alias' | 'aliasId'> | undefined,
): Statement[] {
  const { kind, draft, values, fileIds } = write;
  const { id, uuid, changed: time } = draft;
  const statements = adoptParagraphs(kind, draft, referenceRows(kind, write));
  if (kind.type === 'taxonomy_term') {
    const uris = uriRows(kind, values);
    if (stored !== undefined) statements.push(removeUris({ id }));
    if (uris.length > 0) statements.push(insertUris({ list: JSON.stringify(uris), uuid }));
  }
  if (kind.afterReferences) statements.push(kind.afterReferences({ uuid }));
  if (kind.type === 'media') statements.push(keepPlaces({ uuid }));
  if (fileIds.length > 0) statements.push(makePermanent({ time, ids: JSON.stringify(fileIds) }));
  return [...statements, ...aliasStatements(write, stored)];
}

function aliasStatements(
  { kind, draft }: ContentWrite,
  stored: Pick<Draft, 'alias' | 'aliasId'> | undefined,
): Statement[] {
  const { alias, langcode, uuid: entity } = draft;
  if (alias === (stored?.alias ?? null)) return [];
  const { insertAlias, linkAlias } = statementsOf(kind);
  const statements: Statement[] = [];
  // A new alias replaces the stored one, and may be an older one of the entity. Null removes all aliases.
  const path = `${pathPrefix(kind.type)}${draft.id}`;
  if (stored !== undefined) statements.push(removeAliases({ path, alias, previous: stored.aliasId ?? 0 }));
  if (alias !== null) statements.push(insertAlias({ uuid: Bun.randomUUIDv7(), alias, langcode, entity }));
  return [...statements, linkAlias({ alias, entity })];
}

/** Returns the error for a UUID or an alias in use, and any other error unchanged. */
export function conflictError(error: unknown, { kind, draft }: ContentWrite): unknown {
  const column = failedUniqueness(error);
  if (column === `${kind.type}.uuid`) return uuidTaken(draft.uuid);
  return column === 'path_alias.alias' ? aliasTaken(draft.alias ?? '') : error;
}

/** Returns the text before the id in the canonical path of a kind. */
export function pathPrefix(type: ContentType): string {
  return entityPath[type](0).slice(0, -1);
}
