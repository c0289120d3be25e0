import type { InStatement, ResultSet, Row } from '@libsql/client';
import type { Database } from '../../database/database.ts';
import { failedGuard, failedUniqueness } from '../../database/errors.ts';
import { dateItem } from '../../fields/date-types.ts';
import { aliasInUse, pathOfNothing, uuidTaken } from '../errors.ts';
import type { Services } from '../services.ts';
import { aliasTarget } from './alias-target.ts';

/** An address that stands for content. Content may have several; the newest is the one that it shows as its own. */
export interface Alias {
  readonly id: number;
  readonly uuid: string;
  /** Canonical, as `/node/12`. */
  readonly path: string;
  readonly alias: string;
  readonly langcode: string;
}

/** The content of an alias that is no longer as it was read stays as it is, its version included. */
const REQUIRE_ONE: InStatement = { sql: 'INSERT INTO guard (stale) SELECT 1 WHERE changes() <> 1', args: [] };

/** The alias with an id, or undefined. */
export async function findAlias({ database }: Services, id: number): Promise<Alias | undefined> {
  const row = await database.first('SELECT id, uuid, path, alias, langcode FROM path_alias WHERE id = ?', [id]);
  return row && toAlias(row);
}

/**
 * Gives content another alias. Throws `unprocessable` for one that stands for something already, and where the content
 * is gone.
 */
export async function createAlias(services: Services, alias: Omit<Alias, 'id'>): Promise<Alias> {
  const { uuid, path, alias: address, langcode } = alias;
  const insert: InStatement = {
    sql: 'INSERT INTO path_alias (uuid, path, alias, langcode) VALUES (?, ?, ?, ?) RETURNING id',
    args: [uuid, path, address, langcode],
  };
  const results = await write(services, alias, [insert, ...showNewest(services, path, true)]);
  return { ...alias, id: Number(results?.[0]?.rows[0]?.[0]) };
}

/** Changes an alias if it is still as it was read; answers whether it was. Throws as `createAlias` does. */
export async function changeAlias(services: Services, from: Alias, to: Alias): Promise<boolean> {
  const change: InStatement = {
    sql: 'UPDATE path_alias SET path = ?, alias = ?, langcode = ? WHERE id = ? AND path = ? AND alias = ? AND langcode = ?',
    args: [to.path, to.alias, to.langcode, from.id, from.path, from.alias, from.langcode],
  };
  const moved = from.path === to.path ? [] : showNewest(services, from.path, false);
  const results = await write(services, to, [change, REQUIRE_ONE, ...showNewest(services, to.path, true), ...moved]);
  return results !== undefined;
}

/** Takes an alias away if it is still as it was read; answers whether it was. Its content then shows the newest of those that are left. */
export async function removeAlias(services: Services, alias: Alias): Promise<boolean> {
  const { id, path, alias: address } = alias;
  const remove: InStatement = {
    sql: 'DELETE FROM path_alias WHERE id = ? AND path = ? AND alias = ?',
    args: [id, path, address],
  };
  const results = await write(services, alias, [remove, REQUIRE_ONE, ...showNewest(services, path, false)]);
  return results !== undefined;
}

/**
 * Writes the newest alias of content into its row and its document. That is no revision: an alias is the entity's. The
 * time of the change says that the answer is another one.
 */
function showNewest({ now }: Pick<Services, 'now'>, path: string, mustExist: boolean): InStatement[] {
  const target = aliasTarget(path);
  if (target === undefined) return [];
  const newest = (column: string) => `(SELECT ${column} FROM path_alias WHERE path = ?1 ORDER BY id DESC LIMIT 1)`;
  const time = now();
  const show: InStatement = {
    sql: `UPDATE ${target.type} SET alias_id = ${newest('id')}, alias = ${newest('alias')}, version = version + 1,
      changed = max(changed, ?2), document = json_set(document, '$.path[0].alias', ${newest('alias')},
        '$.path[0].pid', ${newest('id')},
        '$.changed[0].value', CASE WHEN changed > ?2 THEN document ->> '$.changed[0].value' ELSE ?3 END)
      WHERE id = ?4`,
    args: [path, time, String(dateItem(time).value), target.id],
  };
  return mustExist ? [show, { sql: 'INSERT INTO guard (missing) SELECT 1 WHERE changes() <> 1', args: [] }] : [show];
}

/** Undefined where nothing was as it was read. */
async function write(
  { database }: { database: Database },
  { uuid, alias, path }: Omit<Alias, 'id'>,
  statements: InStatement[],
): Promise<ResultSet[] | undefined> {
  try {
    return await database.write(statements);
  } catch (error) {
    const column = failedUniqueness(error);
    if (column === 'path_alias.alias') throw aliasInUse(alias);
    if (column === 'path_alias.uuid') throw uuidTaken(uuid);
    if (failedGuard(error) === 'guard_stale') return undefined;
    if (failedGuard(error) === 'guard_missing') throw pathOfNothing(path);
    throw error;
  }
}

function toAlias(row: Row): Alias {
  const [id, uuid, path, alias, langcode] = Array.from({ length: 5 }, (_, index) => row[index]);
  return { id: Number(id), uuid: String(uuid), path: String(path), alias: String(alias), langcode: String(langcode) };
}
