import type { FieldDefinition, MediaType } from '../../model/content-model.ts';
import { type ParsedContent, parseDocument } from '../../repository/content/content.ts';
import { readContent } from '../package/read-content.ts';
import { ORIGINAL_FILE } from '../table/plan-files.ts';
import type { LoadContext } from '../table/table-options.ts';
import type { ExportTally } from './export-report.ts';
import { targetIds } from './node-cells.ts';
import type { TermCells } from './term-cells.ts';

/** A file of a node, as a table tells of it. */
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
  /** What the table calls its use. */
  readonly use: string;
  readonly isOriginal: boolean;
}

const MEDIA = `SELECT DISTINCT r.target_id, r.source_id FROM reference r WHERE r.target_type = 'node'
  AND r.target_id IN (SELECT value FROM json_each(?)) AND r.source_type = 'media' AND r.field = 'field_media_of'
  ORDER BY r.target_id, r.source_id`;
const ORIGINALS = `SELECT term_id FROM term_uri WHERE uri = ?`;
const FILES = `SELECT id, filename, filesize, sha256, uri, storage_key, stored_in FROM file
  WHERE id IN (SELECT value FROM json_each(?))`;

/** The files of nodes by node, the oldest media first, as far as the actor may see their media. */
export async function findNodeFiles(
  context: LoadContext,
  nodeIds: readonly number[],
  terms: TermCells,
  tally: ExportTally,
): Promise<ReadonlyMap<number, readonly NodeFile[]>> {
  const ask = async (sql: string, argument: string) =>
    (await context.services.database.client.execute({ sql, args: [argument] })).rows;
  const pairs = (await ask(MEDIA, JSON.stringify(nodeIds))).map((row) => [Number(row[0]), Number(row[1])] as const);
  const found = await readContent(
    context,
    'media',
    pairs.map(([, mediaId]) => mediaId),
  );
  const visible = found.filter(({ kind, head }) => kind.access.view(context.actor, head).isAllowed);
  const media = new Map(visible.map((each) => [each.head.id, parseDocument(each)]));
  const originals = new Set((await ask(ORIGINALS, ORIGINAL_FILE)).map((row) => Number(row[0])));
  await terms.load([...media.values()].flatMap(({ members }) => targetIds(members.field_media_use ?? [])));
  const fileIds = [...media.values()].flatMap((each) => sourceOf(each)?.fileId ?? []);
  const rows = new Map((await ask(FILES, JSON.stringify(fileIds))).map((row) => [Number(row[0]), row]));

  const files = new Map<number, NodeFile[]>();
  for (const [nodeId, mediaId] of pairs) {
    const each = media.get(mediaId);
    if (each === undefined) continue;
    const source = sourceOf(each);
    const row = source && rows.get(source.fileId);
    const uses = targetIds(each.members.field_media_use ?? []);
    const useId = uses.find((id) => originals.has(id)) ?? uses[0];
    const use = useId === undefined ? undefined : terms.cell(useId, useField(each))?.text;
    if (source === undefined || row === undefined) tally.addLoss('media without a file, such as remote video');
    else if (useId === undefined || use === undefined) tally.addLoss('media without a use');
    else {
      if (uses.length > 1) tally.addLoss('uses of media beyond one');
      const [, filename, filesize, sha256, uri, storageKey, storedIn] = Array.from(row);
      const ofNode = files.get(nodeId) ?? [];
      ofNode.push({
        fileId: source.fileId,
        filename: String(filename),
        filesize: Number(filesize),
        sha256: String(sha256),
        uri: String(uri),
        storageKey: String(storageKey),
        storedIn: storedIn === null || storedIn === undefined ? null : String(storedIn),
        alt: source.alt,
        use,
        isOriginal: originals.has(useId),
      });
      files.set(nodeId, ofNode);
    }
  }
  return files;
}

function sourceOf({ bundle, members }: ParsedContent): { fileId: number; alt: string | undefined } | undefined {
  const [item] = members[(bundle as MediaType).sourceField.name] ?? [];
  if (typeof item?.target_id !== 'number') return undefined;
  return { fileId: item.target_id, alt: typeof item.alt === 'string' && item.alt !== '' ? item.alt : undefined };
}

/** Media have a use by this field only, and it is there for any that has one. */
function useField({ bundle }: ParsedContent): FieldDefinition {
  return bundle.fieldNamed.get('field_media_use') as FieldDefinition;
}
