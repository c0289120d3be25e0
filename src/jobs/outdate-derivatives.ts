import { eq, sql } from 'drizzle-orm';
import { madeOnce } from '../base/made-once.ts';
import { query } from '../database/query-builder.ts';
import { type FileRow, files } from '../database/schema/files.ts';
import { references } from '../database/schema/references.ts';
import { failIf } from '../database/sql.ts';
import { type Named, plain, prepare } from '../database/statement.ts';
import type { FieldValues, MediaType } from '../model/content-model.ts';
import { type Content, open } from '../repository/content/content.ts';
import { forgetFilledText } from '../repository/content/fill/fill-from-source.ts';
import { createKinds } from '../repository/content/kinds.ts';
import { findAllContent } from '../repository/content/read/find-content.ts';
import type { Services } from '../repository/content/services.ts';
import {
  type ChangedSource,
  joinOutdated,
  NOTHING_OUTDATED,
  type Outdated,
} from '../repository/content/write/announce-source.ts';
import { editedText, sourceless } from '../repository/content/write/outdated.ts';
import { removalOfMedia } from '../repository/content/write/remove-content.ts';
import { removalOfFile } from '../repository/files/file-rows.ts';
import { storeOf } from '../repository/files/scheme.ts';
import { keepIdentity } from '../repository/files/withdrawn-files.ts';
import { matchingMedia } from '../repository/media/attach-file.ts';
import { makePending } from '../repository/pending-nodes.ts';
import { nodesOfMedia, refersTo } from '../repository/relations.ts';
import { removeExtractedOf } from '../repository/search-index/index-statements.ts';
import { isDerivativeUri } from './file-path.ts';
import type { DerivativePlace, FindPlaces } from './find-places.ts';

/** A source with other bytes, and the derivatives that will be made of them. */
interface Replaced {
  readonly id: number;
  readonly changed: ChangedSource;
  /** Returns true if a job will make the derivative of a place again. */
  readonly isWanted: (place: DerivativePlace) => boolean;
}

const kindsOf = madeOnce(createKinds);

const findFile = prepare(({ id }: Named<{ id: number }>) => query.select().from(files).where(eq(files.id, id)));
const countOthers = prepare(({ fileId, mediaId }: Named<{ fileId: number; mediaId: number }>) =>
  plain(
    sql`SELECT count(*) FROM ${references} WHERE ${refersTo(references, 'file', fileId)}
      AND NOT (${references.sourceType} = 'media' AND ${eq(references.sourceId, mediaId)})`,
    { others: sql<number>`others` },
  ),
);
/** Fails if another entity has begun to use the file meanwhile. */
const failIfShared = prepare(({ fileId, mediaId }: Named<{ fileId: number; mediaId: number }>) =>
  failIf(
    'stale',
    sql`EXISTS (SELECT 1 FROM ${references} WHERE ${refersTo(references, 'file', fileId)}
      AND NOT (${references.sourceType} = 'media' AND ${eq(references.sourceId, mediaId)}))`,
  ),
);

/**
 * Finds the derivatives of the previous bytes of a source. Those that a job makes again lose their files, and the texts and
 * facts that were read from them; the others are removed. Files and texts of persons stay, with a notice.
 */
export async function outdateDerivatives(
  services: Services,
  findPlaces: FindPlaces,
  replaced: Replaced,
  visited: Set<number>,
): Promise<Outdated> {
  const parts: Outdated[] = [];
  for (const place of await findPlaces(services.database, replaced.id, replaced.changed)) {
    const type = services.model.mediaTypes.get(place.mediaType);
    if (type === undefined) continue;
    const ids = await matchingMedia(services, { nodeId: place.node.id, termId: place.term.id, type });
    const media = await findAllContent(services.database, kindsOf(services.model).media, ids);
    for (const content of media) {
      const { id } = content.head;
      if (visited.has(id)) continue;
      visited.add(id);
      parts.push(await outdate(services, findPlaces, { content, place, isWanted: replaced.isWanted(place) }, visited));
    }
  }
  return joinOutdated(parts);
}

interface Derivative {
  readonly content: Content;
  readonly place: DerivativePlace;
  readonly isWanted: boolean;
}

async function outdate(
  services: Services,
  findPlaces: FindPlaces,
  { content, place, isWanted }: Derivative,
  visited: Set<number>,
): Promise<Outdated> {
  const type = content.bundle as MediaType;
  const { values } = open(content);
  const file = await fileOf(services, type, values);
  if (file === undefined) return NOTHING_OUTDATED;
  const { id } = content.head;
  if (!isMadeByProgram(place, file))
    return notice(`Media ${id} was not made by the program. It stays, and may show the previous file.`);
  const keepsText = await forgetFilledText(services, type, { ...values }, file);
  const isKept = isWanted || keepsText;
  const { others } = (await services.database.get(countOthers({ fileId: file.id, mediaId: id }))) ?? { others: 0 };
  const statements = [
    ...(isKept ? await sourceless(services, content, keepsText) : removalOfMedia(content)),
    ...(others === 0 ? [failIfShared({ fileId: file.id, mediaId: id }), ...removalOfFile(file)] : []),
    ...(others === 0 && isKept ? [keepIdentity(id, file)] : []),
    ...(keepsText ? [] : [removeExtractedOf([id])]),
    makePending(nodesOfMedia(values)),
  ];
  const own: Outdated = {
    statements,
    notices: keepsText ? [editedText(id)] : [],
    discarded: others === 0 ? [{ store: storeOf(file), storageKey: file.storageKey }] : [],
    isIndexed: true,
  };
  // Its own derivatives follow it: a job that makes it again has them made again.
  const changed = { type, values, file, chain: [], isNew: false };
  const following = await outdateDerivatives(services, findPlaces, { id, changed, isWanted: () => isWanted }, visited);
  return joinOutdated([following, own]);
}

const notice = (text: string): Outdated => ({ ...NOTHING_OUTDATED, notices: [text] });

async function fileOf({ database }: Services, type: MediaType, values: FieldValues): Promise<FileRow | undefined> {
  const id = values[type.sourceField.name]?.[0]?.target_id;
  return typeof id === 'number' ? (await database.all(findFile({ id })))[0] : undefined;
}

/** Returns true for bytes that the program made. For derivatives of earlier versions, their addresses tell. */
function isMadeByProgram({ actions }: DerivativePlace, { madeBy, uri }: FileRow): boolean {
  return madeBy === null ? actions.some((action) => isDerivativeUri(action, uri)) : madeBy !== '';
}
