import { eq, getTableColumns, sql } from 'drizzle-orm';
import { Cache } from '../../base/cache.ts';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { type FileRow, files } from '../../database/schema/files.ts';
import { nested } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import type { ContentModel } from '../../model/content-model.ts';
import type { Actor } from '../actor.ts';
import { paragraphsOf, readableFiles, readableKey, seesParagraph } from './readable-files.ts';

/** A file with a caller's access to its bytes. */
export interface ReadableFile {
  readonly row: FileRow;
  readonly mayRead: boolean;
  /** True if anonymous callers may read it, so that shared caches may store it. */
  readonly isOpen: boolean;
}

/** Finds a file by its stream URI, such as `public://a.png`, with the actor's access, in one query. */
export type FindReadableFile = (actor: Actor, uri: string) => Promise<ReadableFile | undefined>;

const MAX_BYTES = 1024 * 1024;
/** Estimated bytes of a file's row. */
const FILE_BYTES = 800;

/**
 * Prepares one statement for each set of permissions, of which a repository has a few. Caches the results for anonymous
 * callers until the next write (`Database.stamp`), so that a page of thumbnails costs no query.
 */
export function createFindReadableFile(database: Database, model: ContentModel, anonymous: Actor): FindReadableFile {
  const anonymousKey = readableKey(model, anonymous);
  const prepared = new Map<string, ReturnType<typeof prepareFor>>();
  const cache = new Cache<ReadableFile>({ maxBytes: MAX_BYTES, bytesOf: () => FILE_BYTES, state: database.stamp });

  function prepareFor(actor: Actor, isAnonymous: boolean) {
    return prepare(({ uri, actorId }: Named<{ uri: string; actorId: number }>) =>
      query
        .select({
          ...getTableColumns(files),
          isOpen: nested(sql<number>`${readableFiles(model, anonymous)}`),
          mayRead: isAnonymous ? sql<number>`0` : nested(sql<number>`${readableFiles(model, actor, actorId)}`),
          paragraphs: paragraphsOf(model),
        })
        .from(files)
        .where(eq(files.uri, uri)),
    );
  }

  const findNow: FindReadableFile = async (actor, uri) => {
    const key = readableKey(model, actor);
    let find = prepared.get(key);
    if (find === undefined) {
      find = prepareFor(actor, key === anonymousKey);
      prepared.set(key, find);
    }
    const found = await database.get(find({ uri, actorId: actor.id }));
    if (found === undefined) return undefined;
    const { isOpen, mayRead, paragraphs, ...row } = found;
    const isReadable = key === anonymousKey ? isOpen : mayRead;
    return {
      row,
      mayRead: isReadable === 1 || seesParagraph(actor, paragraphs),
      isOpen: isOpen === 1 || seesParagraph(anonymous, paragraphs),
    };
  };
  return (actor, uri) => (actor === anonymous ? cache.read(uri, () => findNow(actor, uri)) : findNow(actor, uri));
}
