import { and, eq } from 'drizzle-orm';
import { query } from '../../database/query-builder.ts';
import { files } from '../../database/schema/files.ts';
import { references, termUris } from '../../database/schema/references.ts';
import { isAmong } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import type { FieldDefinition, MediaType } from '../../model/content-model.ts';
import { MEDIA_USE_URI } from '../../model/media-use.ts';
import { type ParsedContent, parseDocument } from '../../repository/content/content.ts';
import { isMediaOf } from '../../repository/relations.ts';
import { readContent } from '../package/read-content.ts';
import type { LoadContext } from '../table/table-options.ts';
import type { ExportTally } from './export-report.ts';
import { targetIds } from './node-cells.ts';
import type { TermCells } from './term-cells.ts';

/** A file of a node, as a table describes it. */
export interface NodeFile {
  readonly fileId: number;
  readonly filename: string;
  readonly filesize: number;
  readonly sha256: string;
  readonly uri: string;
  readonly storageKey: string;
  readonly storedIn: string | null;
  /** The alternative text of an image. */
  readonly alt: string | undefined;
  /** Its media use in the table. */
  readonly use: string;
  readonly isOriginal: boolean;
}

const findMedia = prepare(({ nodeIds }: Named<{ nodeIds: string }>) =>
  query
    .selectDistinct({ nodeId: references.targetId, mediaId: references.sourceId })
    .from(references)
    .where(and(isMediaOf(references), isAmong(references.targetId, nodeIds)))
    .orderBy(references.targetId, references.sourceId),
);
const findOriginals = prepare(() =>
  query.select({ termId: termUris.termId }).from(termUris).where(eq(termUris.uri, MEDIA_USE_URI.original)),
);
const findFiles = prepare(({ ids }: Named<{ ids: string }>) =>
  query
    .select({
      fileId: files.id,
      filename: files.filename,
      filesize: files.filesize,
      sha256: files.sha256,
      uri: files.uri,
      storageKey: files.storageKey,
      storedIn: files.storedIn,
    })
    .from(files)
    .where(isAmong(files.id, ids)),
);

/** Returns the files of nodes by node id, the oldest media first. Omits media that the actor may not view. */
export async function findNodeFiles(
  context: LoadContext,
  nodeIds: readonly number[],
  terms: TermCells,
  tally: ExportTally,
): Promise<ReadonlyMap<number, readonly NodeFile[]>> {
  const { database } = context.services;
  const pairs = await database.all(findMedia({ nodeIds: JSON.stringify(nodeIds) }));
  const all = await readContent(
    context,
    'media',
    pairs.map(({ mediaId }) => mediaId),
  );
  const visible = all.filter(({ kind, head }) => kind.access.view(context.actor, head).isAllowed);
  const media = new Map(visible.map((each) => [each.head.id, parseDocument(each)]));
  const originals = new Set((await database.all(findOriginals())).map(({ termId }) => termId));
  await terms.load([...media.values()].flatMap(({ members }) => targetIds(members.field_media_use ?? [])));
  const fileIds = [...media.values()].flatMap((each) => sourceOf(each)?.fileId ?? []);
  const rows = new Map(
    (await database.all(findFiles({ ids: JSON.stringify(fileIds) }))).map((row) => [row.fileId, row]),
  );

  const filesOf = new Map<number, NodeFile[]>();
  for (const { nodeId, mediaId } of pairs) {
    const each = media.get(mediaId);
    if (each === undefined) continue;
    const source = sourceOf(each);
    const row = source && rows.get(source.fileId);
    const uses = targetIds(each.members.field_media_use ?? []);
    const useId = uses.find((id) => originals.has(id)) ?? uses[0];
    const use = useId === undefined ? undefined : terms.cell(useId, useField(each))?.text;
    if (source === undefined || row === undefined) tally.addLoss('media without a file, such as remote video');
    else if (useId === undefined || use === undefined) tally.addLoss('media without a media use');
    else {
      if (uses.length > 1) tally.addLoss('further uses of media with several');
      const ofNode = filesOf.get(nodeId) ?? [];
      ofNode.push({ ...row, alt: source.alt, use, isOriginal: originals.has(useId) });
      filesOf.set(nodeId, ofNode);
    }
  }
  return filesOf;
}

function sourceOf({ bundle, members }: ParsedContent): { fileId: number; alt: string | undefined } | undefined {
  const [item] = members[(bundle as MediaType).sourceField.name] ?? [];
  if (typeof item?.target_id !== 'number') return undefined;
  return { fileId: item.target_id, alt: typeof item.alt === 'string' && item.alt !== '' ? item.alt : undefined };
}

/** Returns the field of media use, which every media with a use has. */
function useField({ bundle }: ParsedContent): FieldDefinition {
  return bundle.fieldNamed.get('field_media_use') as FieldDefinition;
}
