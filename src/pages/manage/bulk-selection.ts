import { malformed } from '../../base/errors.ts';
import { actionAccess } from '../../bulk/action-access.ts';
import { ACTIONS_OF, MAX_ITEMS } from '../../bulk/bulk-action.ts';
import { MAX_OPEN } from '../../bulk/change-with-members.ts';
import { countOpenRuns } from '../../bulk/find-runs.ts';
import { entityPath, pathOf, paths } from '../../paths.ts';
import { open } from '../../repository/content/content.ts';
import { findAllContent } from '../../repository/content/read/find-content.ts';
import { findListRows } from '../../repository/lists/list-rows.ts';
import { type Call, parseId } from '../../web/call.ts';
import type { FormProblem } from '../forms/error-summary.tsx';
import { type BulkSelection, type ItemSource, SOURCES } from './bulk-data.ts';
import { MANAGED_LISTS } from './content-list-routes.ts';
import { idsOfSource } from './ids-of-source.ts';

/** Maximum number of items that a selection names. */
const MAX_NAMED = 200;
/** The number of items whose titles a page shows. */
const SHOWN = 10;

/** The fields of a form, or the parameters of an address, that select items. */
interface SelectionFields extends Partial<Readonly<Record<ItemSource['of'], string | undefined>>> {
  readonly kind?: string | undefined;
  readonly action?: string | undefined;
  readonly entry?: readonly string[] | undefined;
  readonly all?: string | undefined;
}

/** Returns the fields that select items. */
export function selectionFields(fields: URLSearchParams): SelectionFields {
  const one = (name: string) => fields.get(name) ?? undefined;
  const sources = Object.fromEntries(SOURCES.map((name) => [name, one(name)]));
  return { kind: one('kind'), action: one('action'), all: one('all'), entry: fields.getAll('entry'), ...sources };
}

/** Parses a selection with its action. Throws `malformed` for a kind, action or id that no list offers. */
export function parseSelection({ action, ...fields }: SelectionFields): BulkSelection {
  const selected = parseSelected(fields);
  const actions = ACTIONS_OF[selected.kind];
  const known = actions.find((each) => each === action);
  if (known === undefined)
    throw malformed(`The parameter "action" must be one of ${actions.join(', ')} for ${selected.kind}.`);
  return { ...selected, action: known };
}

/** The items of a selection. */
export type SelectedItems = Omit<BulkSelection, 'action'>;

/** Parses the items of a selection. Throws `malformed` for a kind or id that no list offers. */
export function parseSelected({ kind, entry = [], all, ...sources }: SelectionFields): SelectedItems {
  if (kind !== 'node' && kind !== 'media') throw malformed('The parameter "kind" must be node or media.');
  if (all === '1') {
    // A list without filters may leave out its parameter.
    const of = SOURCES.findLast((each) => sources[each] !== undefined) ?? 'filter';
    return { kind, entries: [], source: { of, text: sources[of] ?? '' } };
  }
  const entries = [...new Set(entry)].map((text) => parseId(text));
  if (entries.length > MAX_NAMED) throw malformed(`Select at most ${MAX_NAMED} items, or all that match a filter.`);
  return {
    ...{ kind, source: undefined },
    entries: entries.map((id) => {
      if (id === undefined) throw malformed('Each parameter "entry" must be an id.');
      return id;
    }),
  };
}

/**
 * Checks whether the caller may change the selected items at all: callers who may open the list, and those who delete one
 * item of their own. Each item is checked again when its turn comes.
 */
export async function requireSelection(call: Call, { kind, action, entries }: BulkSelection): Promise<void> {
  const { actor, api } = call;
  const overview = MANAGED_LISTS[kind].access(actor);
  call.require(actionAccess(actor, action));
  const [only, ...others] = entries;
  if (overview.isAllowed || action !== 'delete' || only === undefined || others.length > 0) call.require(overview);
  else {
    const content = await api.findContent(kind, only);
    if (content === undefined || !content.kind.access.view(actor, content.head).isAllowed) call.require(overview);
    else call.require(content.kind.access.remove(actor, content.head));
  }
}

/** The items of a selection that the caller may view. */
export interface ItemSelection {
  readonly ids: readonly number[];
  /** True if there are more than a change may have. */
  readonly isTooMany: boolean;
  /** The first ones. */
  readonly first: readonly { readonly id: number; readonly label: string }[];
}

/** Finds the items of a selection. */
export async function findSelection(call: Call, { kind, entries, source }: SelectedItems): Promise<ItemSelection> {
  const { actor, api } = call;
  const { database } = api.services;
  if (source === undefined) {
    const viewable = (await findAllContent(database, api.kinds[kind], entries)).filter(
      (content) => content.kind.access.view(actor, content.head).isAllowed,
    );
    const first = viewable
      .slice(0, SHOWN)
      .map((content) => ({ id: content.head.id, label: open(content).draft.label }));
    return { ids: viewable.map(({ head }) => head.id), isTooMany: false, first };
  }
  const ids = await idsOfSource(call, kind, source);
  return {
    ids: ids.slice(0, MAX_ITEMS),
    isTooMany: ids.length > MAX_ITEMS,
    first: await findListRows(database, actor, kind, ids.slice(0, SHOWN)),
  };
}

/** Returns the problems of a selection that no change accepts. */
export function selectionProblems({ ids, isTooMany }: ItemSelection): FormProblem[] {
  if (ids.length === 0) return [{ message: 'No item is selected. Go back to the list, and select at least one.' }];
  if (!isTooMany) return [];
  return [{ message: 'These are more than 50,000 items. Filter the list further, and change them in parts.' }];
}

/** Returns the reasons why a change cannot start: more items than the page has shown, and too many unfinished changes. */
export async function startProblems(
  { api, actor }: Call,
  { ids }: ItemSelection,
  confirmed: number,
): Promise<FormProblem[]> {
  if (ids.length > confirmed)
    return [{ message: `The number of items is ${ids.length} by now. Read this page again.` }];
  if ((await countOpenRuns(api.services.database, actor.id)) < MAX_OPEN) return [];
  return [{ message: `You have ${MAX_OPEN} unfinished changes. Wait until one has ended, or stop one.` }];
}

/** Returns the path of the page on which items were selected. */
export function backTo({ kind, entries, source }: BulkSelection): string {
  const [only, ...others] = entries;
  if (only !== undefined && others.length === 0) return entityPath[kind](only);
  const list = MANAGED_LISTS[kind].path;
  if (source === undefined || source.text === '') return list;
  switch (source.of) {
    case 'filter':
      return `${list}?${source.text}`;
    case 'search':
      return `${paths.search}?${source.text}`;
    case 'import':
      return pathOf('tableImport', { table_import: source.text });
    case 'run':
      return pathOf('bulkRun', { run: source.text });
    default:
      return source.of satisfies never;
  }
}
