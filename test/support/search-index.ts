import { sql } from 'drizzle-orm';
import { expressionOf, phrasesOf } from '../../src/base/words.ts';
import type { Database } from '../../src/database/database.ts';
import { facetValues, nodeRecords } from '../../src/database/schema/search.ts';
import { plain, statementOf } from '../../src/database/statement.ts';
import type { Facet } from '../../src/model/search-model.ts';

/**
 * The structure of a full-text index that FTS5 has damaged, in hexadecimal digits. It names a merge of level 3 without the
 * segment that it writes in level 4.
 */
export const DAMAGED_INDEX =
  '00000000FF00000107068800000000030E012C81388140000009090134814181450000050C01278146814B0000060000010104817D82166681370108420000010103813D836C01813701062800010101813D018137000000';

/** Returns the ids of the nodes whose index has a phrase, in any column or in one. */
export async function indexedWith(database: Database, words: string, column?: string): Promise<number[]> {
  database.refresh();
  const phrase = expressionOf(phrasesOf(words), false);
  const asked = column === undefined ? phrase : `${column}:${phrase}`;
  const found = await database.all(
    statementOf(
      plain(sql`SELECT rowid FROM search_text WHERE search_text MATCH ${asked} ORDER BY rowid`, {
        nid: sql<number>`rowid`,
      }),
    ),
  );
  return found.map(({ nid }) => nid);
}

/** A row of `node_record` with its facets by name. */
export type IndexRecord = Omit<typeof nodeRecords.$inferSelect, 'facets' | 'collections'> & {
  readonly facets: Readonly<Record<string, (number | string)[]>>;
  readonly collections: number[];
};

/** Returns the record of a node; undefined if there is none. */
export async function indexRecord(
  database: Database,
  facets: readonly Facet[],
  nid: number,
): Promise<IndexRecord | undefined> {
  database.refresh();
  const names = Object.keys(nodeRecords) as (keyof typeof nodeRecords.$inferSelect)[];
  const columns = Object.fromEntries(names.map((name) => [name, nodeRecords[name]]));
  const row = (await database.get(statementOf(plain(sql`SELECT * FROM node_record WHERE nid = ${nid}`, columns)))) as
    | typeof nodeRecords.$inferSelect
    | undefined;
  if (row === undefined) return undefined;
  const texts = await database.all(
    statementOf(plain(sql`SELECT id, text FROM facet_value`, { id: facetValues.id, text: facetValues.text })),
  );
  const textOf = new Map(texts.map(({ id, text }) => [id, text]));
  return { ...row, collections: JSON.parse(row.collections) as number[], facets: decode(row.facets, facets, textOf) };
}

function decode(
  blob: Buffer,
  facets: readonly Facet[],
  textOf: ReadonlyMap<number, string>,
): Record<string, (number | string)[]> {
  const decoded: Record<string, (number | string)[]> = {};
  for (let at = 0; at < blob.length; ) {
    const facet = facets[blob.readUInt32LE(at)] as Facet;
    const count = blob.readUInt32LE(at + 4);
    const isText = facet.kind === 'agent' || facet.kind === 'file_type' || facet.kind === 'bundle';
    decoded[facet.name] = Array.from({ length: count }, (_, index) => {
      const value = blob.readUInt32LE(at + 8 + 4 * index);
      return isText ? (textOf.get(value) ?? value) : value;
    });
    at += 8 + 4 * count;
  }
  return decoded;
}
