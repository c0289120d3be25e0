import { eq, getTableColumns, sql } from 'drizzle-orm';
import type { Database } from '../../database/database.ts';
import { prepareFindOne, rowOf } from '../../database/find-one.ts';
import { type FileRow, files } from '../../database/schema/files.ts';
import type { ContentModel } from '../../model/content-model.ts';
import type { Actor } from '../actor.ts';
import { paragraphsOf, readableFiles, seesParagraph } from './readable-files.ts';

/** A file with a caller's access to its bytes. */
export interface ReadableFile {
  readonly row: FileRow;
  readonly mayRead: boolean;
  /** True if anonymous callers may read it, so that shared caches may store it. */
  readonly isOpen: boolean;
}

/** Finds a file by its stream URI, such as `public://a.png`, with the actor's access, in one query. */
export type FindReadableFile = (actor: Actor, uri: string) => Promise<ReadableFile | undefined>;

/** Maximum number of files that are cached for anonymous callers. */
const MAX_REMEMBERED = 1_024;

/**
 * Prepares one statement for each set of permissions, of which a repository has a few. Caches the results for anonymous
 * callers until the next write (`Database.stamp`), so that a page of thumbnails costs no query.
 */
export function createFindReadableFile(database: Database, model: ContentModel, anonymous: Actor): FindReadableFile {
  const width = Object.keys(getTableColumns(files)).length;
  const toRow = rowOf(files);
  const open = readableFiles(model, anonymous);
  const prepare = (mine: string) =>
    prepareFindOne(
      database,
      {
        ...getTableColumns(files),
        isOpen: sql.raw(open.sql),
        paragraphs: sql.raw(paragraphsOf(model)),
        ...(mine !== open.sql && { mayRead: sql.raw(mine) }),
      },
      files,
      eq(files.uri, sql.placeholder('uri')),
      (columns) => ({
        row: toRow(columns),
        isOpen: columns[width] === 1,
        paragraphs: columns[width + 1] as string | null,
        mayRead: columns[mine === open.sql ? width : width + 2] === 1,
      }),
    );
  const prepared = new Map<string, ReturnType<typeof prepare>>();
  const remembered = new Map<string, ReadableFile>();
  let rememberedStamp: number | undefined;

  const findNow: FindReadableFile = async (actor, uri) => {
    const mine = actor === anonymous ? open : readableFiles(model, actor);
    let find = prepared.get(mine.sql);
    if (find === undefined) {
      find = prepare(mine.sql);
      prepared.set(mine.sql, find);
    }
    const found = await find(...mine.args, uri);
    if (found === undefined) return undefined;
    const { row, paragraphs } = found;
    return {
      row,
      mayRead: found.mayRead || seesParagraph(actor, paragraphs),
      isOpen: found.isOpen || seesParagraph(anonymous, paragraphs),
    };
  };
  return async (actor, uri) => {
    if (actor !== anonymous) return findNow(actor, uri);
    // Before the read: a later write changes the stamp.
    const stamp = database.stamp();
    if (stamp !== rememberedStamp || remembered.size >= MAX_REMEMBERED) remembered.clear();
    rememberedStamp = stamp;
    const known = remembered.get(uri);
    if (known !== undefined) return known;
    const found = await findNow(actor, uri);
    if (found !== undefined && stamp !== undefined && stamp === rememberedStamp) remembered.set(uri, found);
    return found;
  };
}
