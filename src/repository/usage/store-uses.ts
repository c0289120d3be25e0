import { createHmac, randomBytes } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { madeOnce } from '../../base/made-once.ts';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { files } from '../../database/schema/files.ts';
import { references, termUris } from '../../database/schema/references.ts';
import { usageClicks, usageSalts } from '../../database/schema/usage.ts';
import { isAmong, literal, namesOf } from '../../database/sql.ts';
import { type Named, plain, prepare } from '../../database/statement.ts';
import type { ContentModel } from '../../model/content-model.ts';
import { MEDIA_USE_URI } from '../../model/media-use.ts';
import type { BaseServices } from '../base-services.ts';
import { isNodeOf } from '../relations.ts';
import type { Visitor, WaitingUse } from './use-counter.ts';

type Services = Pick<BaseServices, 'database' | 'model'>;

export const DAY_S = 86_400;
/** Uses in a statement: a short one, between which other writes take their turn. */
const USES_AT_ONCE = 2_000;
const SALT_BYTES = 32;
/** 128 bits. */
const HASH_CHARS = 22;

/** The media uses of files that describe an item or are parts of its page: loading them is no use of it. */
const ASIDE = [MEDIA_USE_URI.thumbnail, MEDIA_USE_URI.fits, MEDIA_USE_URI.hocr, MEDIA_USE_URI.tiles].map(literal);
const [source, node, use] = [alias(references, 's'), alias(references, 'n'), alias(references, 'u')];

const hasUse = (uris: ReturnType<typeof literal>[]) => sql`EXISTS (
  SELECT 1 FROM ${references} ${use} JOIN ${termUris} ON ${termUris.termId} = ${use.targetId}
  WHERE ${use.sourceType} = 'media' AND ${use.sourceId} = ${source.sourceId} AND ${use.field} = 'field_media_use'
    AND ${use.targetType} = 'taxonomy_term' AND ${termUris.uri} IN (${sql.join(uris, sql`, `)}))`;

/** Finds what files are of: each is the source of a media, which belongs to nodes. */
const itemsOf = madeOnce(({ mediaTypes }: ContentModel) => {
  const fields = [...new Set(Array.from(mediaTypes.values(), ({ sourceField }) => sourceField.name))].map(literal);
  return prepare(({ ids }: Named<{ ids: string }>) =>
    plain(
      sql`SELECT ${files.id}, ${node.targetId}, ${hasUse(ASIDE)},
          ${files.filemime} LIKE 'image/%' AND ${hasUse([literal(MEDIA_USE_URI.service)])}
        FROM ${files} JOIN ${references} ${source} ON ${source.targetType} = 'file' AND ${source.targetId} = ${files.id}
          AND ${source.sourceType} = 'media' AND ${source.field} IN (${sql.join(fields, sql`, `)}) AND ${source.delta} = 0
        LEFT JOIN ${references} ${node} ON ${isNodeOf(node, source.sourceId)}
        WHERE ${isAmong(files.id, ids)}`,
      {
        ...{ fileId: files.id, nodeId: node.targetId },
        ...{ isAside: sql<number>`isAside`, isPartOfPage: sql<number>`isPartOfPage` },
      },
    ),
  );
});

const insertClicks = prepare(({ rows }: Named<{ rows: string }>) => {
  const { at, visitor, nodeId, fileId } = usageClicks;
  return plain(sql`INSERT INTO ${usageClicks} (${namesOf(at, visitor, nodeId, fileId)})
    SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(${rows})`);
});

const addSalt = prepare(({ day, salt }: Named<{ day: number; salt: string }>) =>
  query.insert(usageSalts).values({ day, salt }).onConflictDoNothing(),
);
const findSalt = prepare(({ day }: Named<{ day: number }>) =>
  query.select({ salt: usageSalts.salt }).from(usageSalts).where(eq(usageSalts.day, day)),
);

/** The salts of days, which all processes of a repository share. */
export class DaySalts {
  readonly #database: Database;
  readonly #known = new Map<number, string>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the salt of a day (since 1970, in UTC), which the first process creates. */
  async of(day: number): Promise<string> {
    const known = this.#known.get(day);
    if (known !== undefined) return known;
    const { chosen } = await this.#database.write({
      added: addSalt({ day, salt: randomBytes(SALT_BYTES).toString('base64') }),
      chosen: findSalt({ day }),
    });
    const salt = chosen[0]?.salt as string;
    for (const old of this.#known.keys()) if (old < day - 1) this.#known.delete(old);
    this.#known.set(day, salt);
    return salt;
  }
}

/**
 * Stores uses with the hashes of their visitors, in slices. Those of files without an item, of thumbnails and of technical
 * metadata are left out or count for the file alone. Rejects after the slices that were stored; `stored` counts their uses.
 */
export async function storeUses(
  services: Services,
  salts: DaySalts,
  uses: readonly WaitingUse[],
  onStored: (count: number) => void,
): Promise<void> {
  for (let start = 0; start < uses.length; start += USES_AT_ONCE) {
    const slice = uses.slice(start, start + USES_AT_ONCE);
    const rows = await rowsOf(services, salts, slice);
    if (rows.length > 0) await services.database.write([insertClicks({ rows: JSON.stringify(rows) })]);
    onStored(start + slice.length);
  }
}

type Row = readonly [at: number, visitor: string, nodeId: number, fileId: number];

async function rowsOf(services: Services, salts: DaySalts, uses: readonly WaitingUse[]): Promise<Row[]> {
  const items = await findItems(services, uses);
  const hashes = new Map<Visitor, readonly [day: number, hash: string]>();
  const rows: Row[] = [];
  for (const { at, kind, id, visitor } of uses) {
    const nodes = kind === 'page' ? [id] : items.get(id);
    if (nodes === undefined) continue;
    const day = Math.floor(at / DAY_S);
    let hashed = hashes.get(visitor);
    if (hashed?.[0] !== day) {
      const hash = createHmac('sha256', await salts.of(day))
        .update(visitor.name)
        .digest('base64url');
      hashed = [day, hash.slice(0, HASH_CHARS)];
      hashes.set(visitor, hashed);
    }
    for (const nodeId of nodes) rows.push([at, hashed[1], nodeId, kind === 'page' ? 0 : id]);
  }
  return rows;
}

/** Finds the items of the used files. A file that counts for itself alone has the item 0; one that does not count is missing. */
async function findItems({ database, model }: Services, uses: readonly WaitingUse[]): Promise<Map<number, number[]>> {
  const ids = new Set(uses.flatMap(({ kind, id }) => (kind === 'file' ? [id] : [])));
  if (ids.size === 0) return new Map();
  const rows = await database.all(itemsOf(model)({ ids: JSON.stringify([...ids]) }));
  const counted = rows.filter(({ isAside }) => isAside === 0);
  return new Map(
    Array.from(
      Map.groupBy(counted, ({ fileId }) => fileId),
      ([fileId, each]) => {
        const nodes = each.flatMap(({ nodeId, isPartOfPage }) =>
          isPartOfPage === 0 && nodeId !== null ? [nodeId] : [],
        );
        return [fileId, nodes.length === 0 ? [0] : [...new Set(nodes)]];
      },
    ),
  );
}
