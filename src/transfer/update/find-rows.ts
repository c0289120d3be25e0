import { shown } from '../../field-types/cell.ts';
import { entityPath } from '../../paths.ts';
import type { LinkedType } from '../../repository/access-rule.ts';
import type { Content } from '../../repository/content/content.ts';
import { findTargets } from '../../repository/content/fill/targets.ts';
import { readContent } from '../package/read-content.ts';
import { UUID } from '../table/columns.ts';
import type { TableRow } from '../table/row-plan.ts';
import type { LoadContext } from '../table/table-options.ts';

const ID = /^\d{1,15}$/;
/** An address of content, on any host. */
const ADDRESS = /^(?:https?:\/\/[^/\s]+)?\/(node|media|taxonomy\/term)\/(\d{1,15})\/?$/;
const UUID_FORM = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Returns the look-up of the content of rows by a column: content, or the reason why there is none, in the order of the rows. */
export function createFindRows(
  context: LoadContext,
  type: LinkedType,
  key: string,
): (rows: readonly TableRow[]) => Promise<(Content | string)[]> {
  const { kinds, actor, services } = context;
  const noun = type.replace('taxonomy_', '');
  const mayView = ({ kind, head }: Content) => kind.access.view(actor, head).isAllowed;

  /** Returns the id in each cell, or the reason why there is none. */
  async function idsOf(cells: readonly (string | undefined)[]): Promise<(number | string)[]> {
    if (key !== UUID) return cells.map((cell) => idIn(cell, type));
    const uuids = new Set(cells.flatMap((cell) => (cell !== undefined && UUID_FORM.test(cell) ? [cell] : [])));
    const targets = await findTargets(services.database, new Map([[type, { ids: new Set<number>(), uuids }]]));
    return cells.map((cell) => {
      if (cell === undefined) return 'The row names no content.';
      if (!UUID_FORM.test(cell)) return `${shown(cell)} is not a UUID.`;
      return targets.get(type, cell)?.id ?? `There is no ${noun} with the UUID ${cell}.`;
    });
  }

  return async (rows) => {
    const ids = await idsOf(rows.map(({ cells }) => cells.get(key)?.trim()));
    const wanted = ids.filter((id): id is number => typeof id === 'number');
    const contents = new Map(
      (await readContent({ ...context, kinds }, type, wanted)).map((each) => [each.head.id, each]),
    );
    return ids.map((id) => {
      if (typeof id === 'string') return id;
      const content = contents.get(id);
      // A caller who may not view content does not learn that it exists.
      return content !== undefined && mayView(content) ? content : `There is no ${noun} with the id ${id}.`;
    });
  };
}

function idIn(cell: string | undefined, type: LinkedType): number | string {
  if (cell === undefined) return 'The row names no content.';
  if (ID.test(cell)) return Number(cell);
  const [, kind = '', id] = ADDRESS.exec(cell) ?? [];
  if (kind.replace('/', '_') === type && id !== undefined) return Number(id);
  if (/^[\d.,+\-eE\s]+$/.test(cell))
    return `${shown(cell)} is not an id. Spreadsheets may have changed it; export again.`;
  const example = entityPath[type](12);
  return `${shown(cell)} is not an id. Write the id or the address, such as ${example}; names and aliases name no row.`;
}
