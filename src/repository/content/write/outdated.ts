import type { InStatement } from '@libsql/client';
import { and } from 'drizzle-orm';
import { query } from '../../../database/query-builder.ts';
import type { FileRow } from '../../../database/schema/files.ts';
import { references } from '../../../database/schema/references.ts';
import { isText } from '../../../database/sql.ts';
import { type Named, prepare } from '../../../database/statement.ts';
import type { MediaType } from '../../../model/content-model.ts';
import { makePending } from '../../pending-nodes.ts';
import { nodesOfMedia, refersTo } from '../../relations.ts';
import { removeExtractedOf } from '../../search-index/index-statements.ts';
import { writePending } from '../../search-index/write-pending.ts';
import { type Content, open, restOf } from '../content.ts';
import { forgetFilledText, forgetSource } from '../fill/fill-from-source.ts';
import type { ContentKind } from '../kinds.ts';
import { findAllContent } from '../read/find-content.ts';
import type { Services } from '../services.ts';
import type { Outdated } from './announce-source.ts';
import { nextVersion } from './decide-content.ts';
import { updateBatch } from './update-content.ts';

/** Returns the sentences for the person who replaces the source of a media. `keepsText`: an edited text of the media stays. */
export function noticesOf(content: Content, keepsText: boolean, { notices }: Outdated): readonly string[] {
  if (!keepsText) return notices;
  return [editedText(content.head.id), ...notices];
}

/** Returns the sentence about a text that stays. */
export const editedText = (mediaId: number): string =>
  `The text of media ${mediaId} was edited by hand. It stays, and may have words of the previous file.`;

/** Completes the withdrawal of derivatives after the commit: searches no longer find their words. */
export async function settleOutdated(services: Services, { discarded, isIndexed }: Outdated): Promise<void> {
  for (const { store, storageKey } of discarded) services.discards.add(store, storageKey);
  if (isIndexed) await writePending(services);
}

/**
 * Returns the statements that take the source file from a media, with the values that were filled from it, and keep its
 * revision: no history keeps the texts. They do not change the index.
 */
export async function sourceless(services: Services, content: Content, keepsText: boolean): Promise<InStatement[]> {
  const { kind, bundle } = content;
  const { draft: stored, values } = open(content);
  const draft = nextVersion(services, content, stored);
  await forgetSource(services, bundle as MediaType, draft, values, keepsText);
  const write = {
    ...{ id: undefined, kind, draft, values, rest: restOf(kind, draft, values), fileIds: [], targets: undefined },
    ...{ before: [], after: [], entry: undefined, placement: undefined, indexing: [] },
  };
  const { ids: _ids, ...batch } = updateBatch(write, { content, alias: stored, keepsRevision: true });
  return Object.values(batch).flat();
}

/**
 * Returns the statements that take a file from the media whose texts were filled from it, with these texts: the words of a
 * deleted file go with it. Texts that persons have edited stay.
 */
export async function withoutFilledTexts(services: Services, kind: ContentKind, file: FileRow): Promise<InStatement[]> {
  const rows = await services.database.all(mediaOfFile({ fileId: file.id }));
  const media = await findAllContent(services.database, kind, [...new Set(rows.map(({ id }) => id))]);
  const statements: InStatement[] = [];
  for (const content of media) {
    const type = content.bundle as MediaType;
    const { values } = open(content);
    const name = type.autoFilled.get('content');
    const isSource = values[type.sourceField.name]?.[0]?.target_id === file.id;
    if (name === undefined || !isSource || (values[name] ?? []).length === 0) continue;
    if (await forgetFilledText(services, type, { ...values }, file)) continue;
    const id = content.head.id;
    statements.push(...(await sourceless(services, content, false)), removeExtractedOf([id]));
    statements.push(makePending(nodesOfMedia(values)));
  }
  return statements;
}

const mediaOfFile = prepare(({ fileId }: Named<{ fileId: number }>) =>
  query
    .select({ id: references.sourceId })
    .from(references)
    .where(and(refersTo(references, 'file', fileId), isText(references.sourceType, 'media'))),
);
