import type { Row } from '@libsql/client';
import { failedUniqueness } from '../../database/errors.ts';
import type { Actor } from '../actor.ts';
import { sourceTaken, uuidTaken } from '../errors.ts';
import type { Services } from '../services.ts';
import type { RedirectSource } from './redirect-source.ts';

/** An address that leads to another, as it is kept. */
export interface Redirect {
  readonly id: number;
  readonly uuid: string;
  readonly source: RedirectSource;
  readonly target: string;
  readonly title: string | null;
  readonly statusCode: number;
  readonly langcode: string;
  readonly ownerId: number;
  readonly ownerUuid: string | null;
  readonly created: number;
}

export type NewRedirect = Pick<Redirect, 'uuid' | 'source' | 'target' | 'title' | 'statusCode' | 'langcode'>;

/** Keeps a redirect. Throws `unprocessable` where its source is redirected already. */
export async function createRedirect(services: Services, actor: Actor, redirect: NewRedirect): Promise<Redirect> {
  const { uuid, source, target, title, statusCode, langcode } = redirect;
  const created = services.now();
  try {
    const [inserted] = await services.database.write([
      {
        sql: `INSERT INTO redirect (uuid, source_path, source_query, target_uri, target_title, status_code, langcode,
          owner_id, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
        args: [uuid, source.path, source.query, target, title, statusCode, langcode, actor.id, created],
      },
    ]);
    const id = Number(inserted?.rows[0]?.[0]);
    return { ...redirect, id, ownerId: actor.id, ownerUuid: actor.uuid, created };
  } catch (error) {
    const column = failedUniqueness(error);
    if (column === 'redirect.uuid') throw uuidTaken(uuid);
    if (column?.startsWith('redirect')) throw sourceTaken(source.path);
    throw error;
  }
}

/** The redirect with an id, or undefined. */
export async function findRedirectById({ database }: Services, id: number): Promise<Redirect | undefined> {
  const row = await database.first(
    `SELECT r.id, r.uuid, r.source_path, r.source_query, r.target_uri, r.target_title, r.status_code, r.langcode,
      r.owner_id, u.uuid, r.created FROM redirect r LEFT JOIN user u ON u.id = r.owner_id WHERE r.id = ?`,
    [id],
  );
  return row && toRedirect(row);
}

/** Takes a redirect away. */
export async function removeRedirect({ database }: Services, id: number): Promise<void> {
  await database.write([{ sql: 'DELETE FROM redirect WHERE id = ?', args: [id] }]);
}

function toRedirect(row: Row): Redirect {
  const text = (column: number) => (row[column] === null ? null : String(row[column]));
  return {
    id: Number(row[0]),
    uuid: String(row[1]),
    source: { path: String(row[2]), query: String(row[3]) },
    target: String(row[4]),
    title: text(5),
    statusCode: Number(row[6]),
    langcode: String(row[7]),
    ownerId: Number(row[8]),
    ownerUuid: text(9),
    created: Number(row[10]),
  };
}
