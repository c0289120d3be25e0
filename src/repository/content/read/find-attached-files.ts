import { sql } from 'drizzle-orm';
import { madeOnce } from '../../../base/made-once.ts';
import { query } from '../../../database/query-builder.ts';
import { media } from '../../../database/schema/content.ts';
import { files } from '../../../database/schema/files.ts';
import { isAmong, literal } from '../../../database/sql.ts';
import { type Named, prepare } from '../../../database/statement.ts';
import type { ContentModel } from '../../../model/content-model.ts';
import type { BaseServices } from '../../base-services.ts';
import type { AttachedMedia } from './surroundings.ts';

/** The number of characters of a text that a page shows, as HTML. Its media has the whole. */
const MAX_TEXT_CHARACTERS = 4_000;

/** The size of a file. */
export interface FileSize {
  readonly bytes: number;
  /** The size in pixels of an image, if it is known. */
  readonly width: number | null;
  readonly height: number | null;
}

/** The beginning of the text of an item. */
export interface AttachedText {
  /** The id of its media. */
  readonly media: number;
  readonly text: string;
  readonly isWhole: boolean;
}

/** The files of an item's media. */
export interface AttachedFiles {
  /** The sizes by the id of the file. */
  readonly sizes: Readonly<Record<string, FileSize>>;
  /** The text that was extracted from the item or transcribed, from the first media with one. */
  readonly text: AttachedText | undefined;
}

const findSizes = prepare(({ ids }: Named<{ ids: string }>) =>
  query
    .select({ id: files.id, bytes: files.filesize, width: files.width, height: files.height })
    .from(files)
    .where(isAmong(files.id, ids)),
);

/** Prepares the query of texts. Media types with text name the field that it fills. */
const textsOf = madeOnce(({ mediaTypes }: ContentModel) => {
  const fields = new Map<string, string>();
  for (const { name, autoFilled } of mediaTypes.values()) {
    const field = autoFilled.get('content');
    if (field !== undefined) fields.set(name, field);
  }
  const find = prepare(({ ids, limit }: Named<{ ids: string; limit: number }>) => {
    const cases = [...fields].map(([name, field]) => {
      const path = literal(`$.${field}[0].processed`);
      return sql` WHEN ${literal(name)} THEN substr(${media.document} ->> ${path}, 1, ${limit})`;
    });
    const text = sql<string | null>`CASE ${media.bundle}${sql.join(cases)} END`;
    return query.select({ id: media.id, text }).from(media).where(isAmong(media.id, ids));
  });
  return { bundles: new Set(fields.keys()), find };
});

/** Returns the sizes and the text of media of one item that the caller may view. */
export async function findAttachedFiles(
  services: Pick<BaseServices, 'database' | 'model'>,
  attached: readonly AttachedMedia[],
): Promise<AttachedFiles> {
  const fileIds = attached.flatMap(({ file }) => file?.id ?? []);
  const [sizes, text] = await Promise.all([
    fileIds.length === 0 ? [] : services.database.all(findSizes({ ids: JSON.stringify(fileIds) })),
    findFirstText(services, attached, MAX_TEXT_CHARACTERS),
  ]);
  return { sizes: Object.fromEntries(sizes.map(({ id, ...size }) => [id, size])), text };
}

/** Returns the text of the first media with one, at most `maxCharacters` of it, as HTML. */
export async function findFirstText(
  { database, model }: Pick<BaseServices, 'database' | 'model'>,
  attached: readonly Pick<AttachedMedia, 'id' | 'bundle'>[],
  maxCharacters: number,
): Promise<AttachedText | undefined> {
  const texts = textsOf(model);
  const ids = attached.filter(({ bundle }) => texts.bundles.has(bundle)).map(({ id }) => id);
  if (ids.length === 0) return undefined;
  const rows = await database.all(texts.find({ ids: JSON.stringify(ids), limit: maxCharacters + 1 }));
  const textOf = new Map(rows.map(({ id, text }) => [id, text ?? '']));
  for (const id of ids) {
    const beginning = beginningOf(id, textOf.get(id) ?? '', maxCharacters);
    // A scan without words has the text of its page breaks.
    if (beginning.text !== '') return beginning;
  }
  return undefined;
}

/** Returns the text of filtered HTML, cut at the end of a word. */
function beginningOf(id: number, html: string, maxCharacters: number): AttachedText {
  const isWhole = html.length <= maxCharacters;
  const text = isWhole ? html : html.slice(0, maxCharacters).replace(/(?:\s+\S{0,100}|<[^<>]*)$/, '');
  return { media: id, text: withoutMarkup(text), isWhole };
}

/** The characters that text formats escape. */
const ENTITIES: Readonly<Record<string, string>> = {
  ...{ '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#039;': "'", '&amp;': '&' },
};

/** Returns the text of HTML that a text format made, with its lines and paragraphs. */
function withoutMarkup(html: string): string {
  return html
    .replace(/<br \/>\n?/g, '\n')
    .replace(/<\/(?:p|li|dd|dt|h[1-6]|blockquote|tr)>\s*/g, '\n\n')
    .replace(/<[^<>]*>/g, '')
    .replace(/&(?:lt|gt|quot|#039|amp);/g, (entity) => ENTITIES[entity] ?? entity)
    .toWellFormed()
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
