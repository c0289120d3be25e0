import type { ContentType } from '../../repository/access-rule.ts';
import type { Content } from '../../repository/content/content.ts';
import { findAllContent } from '../../repository/content/read/find-content.ts';
import type { LoadContext } from '../table/table-options.ts';

/** Number of documents per query: a libSQL server returns at most 10 MB, and documents may have hundreds of kilobytes. */
const BATCH_SIZE = 20;

/** Returns content by ids, in the order of the ids, without missing content. */
export async function readContent(
  { services: { database }, kinds }: LoadContext,
  type: ContentType,
  ids: Iterable<number>,
): Promise<Content[]> {
  const sorted = [...new Set(ids)].sort((a, b) => a - b);
  const contents: Content[] = [];
  for (let start = 0; start < sorted.length; start += BATCH_SIZE) {
    const batch = await findAllContent(database, kinds[type], sorted.slice(start, start + BATCH_SIZE));
    contents.push(...batch.sort((a, b) => a.head.id - b.head.id));
  }
  return contents;
}
