import { shown } from '../../field-types/cell.ts';
import { entityPath } from '../../paths.ts';
import type { LinkedType } from '../../repository/access-rule.ts';
import type { Content } from '../../repository/content/content.ts';
import { findTargets } from '../../repository/content/fill/targets.ts';
import { findPaths } from '../../repository/content/read/find-alias.ts';
import { findByValue, MAX_IDS } from '../../repository/content/read/find-by-value.ts';
import { readContent } from '../package/read-content.ts';
import { UUID } from '../table/columns.ts';
import type { TableRow } from '../table/row-plan.ts';
import type { LoadContext } from '../table/table-options.ts';
import type { KeyColumn } from './update-columns.ts';
import { ESCAPED } from './update-plan.ts';

const ID = /^\d{1,15}$/;
/** An address of content, on any host. */
const ADDRESS = /^(?:https?:\/\/[^/\s]+)?\/(node|media|taxonomy\/term)\/(\d{1,15})\/?$/;
/** Any other address, on any host. */
const ALIAS = /^(?:https?:\/\/[^/\s]+)?(\/\S+?)\/?$/;
const UUID_FORM = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const NO_KEY = 'The row names no content.';

/** Reads the values of the column that names the content of the rows. */
type ReadKeys = () => Promise<ReadonlySet<string>>;

/** Returns the look-up of the content of rows by a column: content, or the reason why there is none, in the order of the rows. */
export function createFindRows(
  context: LoadContext,
  type: LinkedType,
  { column: key, field }: KeyColumn,
  readKeys: ReadKeys,
  signal: AbortSignal | undefined,
): (rows: readonly TableRow[]) => Promise<(Content | string)[]> {
  const { kinds, actor, services } = context;
  const { database } = services;
  const noun = type.replace('taxonomy_', '');
  const mayView = ({ kind, head }: Content) => kind.access.view(actor, head).isAllowed;
  let byValue: ReturnType<typeof findByValue> | undefined;

  /** Returns the ids that each cell may mean, or the reason why there is none. */
  async function idsOf(cells: readonly (string | undefined)[]): Promise<(readonly number[] | string)[]> {
    if (field !== undefined) {
      byValue ??= readKeys().then((keys) => findByValue(database, kinds[type], field, keys, signal));
      const ids = await byValue;
      return cells.map((cell) => (cell === undefined ? NO_KEY : (ids.get(keyIn(cell)) ?? [])));
    }
    if (key !== UUID) {
      const aliases = cells.flatMap((cell) => (cell === undefined ? [] : (aliasIn(cell) ?? [])));
      const paths = await findPaths(database, aliases);
      return cells.map((cell) => {
        const id = cell === undefined ? NO_KEY : idIn(cell, paths.get(aliasIn(cell) ?? '') ?? cell, type);
        return typeof id === 'string' ? id : [id];
      });
    }
    const uuids = new Set(cells.flatMap((cell) => (cell !== undefined && UUID_FORM.test(cell) ? [cell] : [])));
    const targets = await findTargets(database, new Map([[type, { ids: new Set<number>(), uuids }]]));
    return cells.map((cell) => {
      if (cell === undefined) return NO_KEY;
      if (!UUID_FORM.test(cell)) return `${shown(cell)} is not a UUID.`;
      const id = targets.get(type, cell)?.id;
      return id === undefined ? `There is no ${noun} with the UUID ${cell}.` : [id];
    });
  }

  return async (rows) => {
    const cells = rows.map((row) => row.cells.get(key)?.trim());
    const ids = await idsOf(cells);
    const wanted = ids.flatMap((each) => (typeof each === 'string' ? [] : each));
    const contents = new Map(
      (await readContent({ ...context, kinds }, type, wanted)).map((each) => [each.head.id, each]),
    );
    return ids.map((candidates, at) => {
      if (typeof candidates === 'string') return candidates;
      // A caller who may not view content does not learn that it exists.
      const visible = candidates.flatMap((id) => contents.get(id) ?? []).filter(mayView);
      const [content] = visible;
      if (content !== undefined && visible.length === 1) return content;
      if (field === undefined) return `There is no ${noun} with the id ${candidates}.`;
      const value = shown(cells[at] ?? '');
      if (content === undefined) return `There is no ${noun} with ${value} in ${field}.`;
      const first = visible.map(({ head }) => head.id).join(', ');
      const more = candidates.length === MAX_IDS ? ' and perhaps more' : '';
      return `${value} is in several: ${first}${more}. Name this row by its id or UUID, in a table of its own.`;
    });
  };
}

/** Returns the value that a cell of a key means. */
export function keyIn(cell: string): string {
  return cell.replace(ESCAPED, '').trim();
}

/** Returns the alias that a cell may be; undefined for anything else. */
function aliasIn(cell: string): string | undefined {
  return ADDRESS.test(cell) ? undefined : ALIAS.exec(cell)?.[1];
}

/** Returns the id in a cell, or at the address that the cell is an alias of. */
function idIn(cell: string, address: string, type: LinkedType): number | string {
  if (ID.test(cell)) return Number(cell);
  const [, kind = '', id] = ADDRESS.exec(address) ?? [];
  if (kind.replace('/', '_') === type && id !== undefined) return Number(id);
  if (/^[\d.,+\-eE\s]+$/.test(cell))
    return `${shown(cell)} is not an id. Spreadsheets may have changed it; export again.`;
  const example = entityPath[type](12);
  return `${shown(cell)} is not an id. Write the id or the address, such as ${example} or an alias; names name no row.`;
}
