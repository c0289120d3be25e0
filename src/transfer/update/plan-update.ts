import { shown } from '../../field-types/cell.ts';
import { isEqualValue } from '../../field-types/equal-items.ts';
import type { FieldDefinition, FieldValues, Item } from '../../model/content-model.ts';
import { ACCESS_RULE, ruleItems } from '../../repository/access/rule-items.ts';
import type { LinkedType } from '../../repository/access-rule.ts';
import { type ParsedContent, parseDocument } from '../../repository/content/content.ts';
import { entityTarget } from '../../repository/content/referring-fields.ts';
import { cellOfField, targetIds } from '../export/node-cells.ts';
import { createTermCells } from '../export/term-cells.ts';
import { type CellValues, createCellValues } from '../table/cell-values.ts';
import { REVISION } from '../table/columns.ts';
import { contentFingerprint } from '../table/content-fingerprint.ts';
import { createFindReferred } from '../table/find-referred.ts';
import { COMMAND_WORDS } from '../table/option-words.ts';
import type { PlannedItem, TableProblem, TableRow } from '../table/row-plan.ts';
import type { LoadContext } from '../table/table-options.ts';
import { createTermValues } from '../table/term-value.ts';
import { createValueChecks } from '../table/value-checks.ts';
import { findExported } from './find-exported.ts';
import { createFindRows } from './find-rows.ts';
import {
  type CellMode,
  type FieldColumn,
  readUpdateColumns,
  TYPE_COLUMN,
  type UpdateColumns,
} from './update-columns.ts';
import {
  type CellChange,
  CLEARING,
  ESCAPED,
  type PlannedRow,
  type UpdateOptions,
  type UpdatePlan,
} from './update-plan.ts';

/** A value of a row that differs from the present one. */
interface EditedCell extends FieldColumn {
  readonly definition: FieldDefinition;
  readonly text: string;
  readonly present: string;
}

/** Plans the changes of batches of rows. */
export interface UpdatePlanner {
  readonly columns: UpdateColumns;
  /** Returns the plans of rows, in their order. `validates`: false to skip the checks that every write repeats. */
  plan(rows: readonly TableRow[], validates: boolean): Promise<PlannedRow[]>;
}

/**
 * Creates the planner of a table. It reads the content of a batch at once. `readKeys` returns the values of a column in all
 * rows.
 */
export function createUpdatePlanner(
  context: LoadContext,
  header: readonly string[],
  options: UpdateOptions,
  readKeys: (column: string) => Promise<ReadonlySet<string>>,
  signal: AbortSignal | undefined,
): UpdatePlanner {
  const { services, kinds, actor } = context;
  const { type, subdelimiter, modes, key, overwrites, words = COMMAND_WORDS } = options;
  const { overwrite } = words;
  const kind = kinds[type] as (typeof kinds)[LinkedType] & { readonly type: LinkedType };
  const { types } = services.fields;
  const columns = readUpdateColumns(kind, header, { modes, key, types, words });
  const referred = createFindReferred(services);
  const terms = createTermCells(context, subdelimiter);
  const cellValues = createCellValues(referred, createTermValues(context, referred, options), types, options);
  const columnOf = (field: string) => columns.fields.find((each) => each.field === field)?.column ?? field;
  const checked = { columnOf, all: new Set(header), reported: new Set<string>() };
  const checks = createValueChecks(context, referred, checked, options);
  const findRows = createFindRows(context, type, columns.key, () => readKeys(columns.key.column), signal);

  const textOf = (items: readonly Item[], definition: FieldDefinition) =>
    cellOfField(items, definition, { subdelimiter, fieldTypes: types, terms });
  const itemsOf = (content: ParsedContent, { field }: FieldColumn): Item[] => {
    if (field === ACCESS_RULE) return ruleItems(content.head);
    return field === 'path' && content.head.alias === null ? [] : (content.members[field] ?? []);
  };
  const isSame = (a: readonly Item[], b: readonly Item[], definition: FieldDefinition) =>
    isEqualValue(a, b, definition, types);

  async function plan(rows: readonly TableRow[], validates: boolean): Promise<PlannedRow[]> {
    const contents = await findRows(rows);
    const parsed = contents.map((each) => (typeof each === 'string' ? each : parseDocument(each)));
    await terms.load(parsed.flatMap((each) => (typeof each === 'string' ? [] : termIdsOf(each))));
    return Promise.all(
      rows.map((row, at) => {
        const content = parsed[at] as ParsedContent | string;
        if (row.fault) return faultyRow(row, row.fault.column, row.fault.message);
        return typeof content === 'string'
          ? faultyRow(row, columns.key.column, content)
          : planRow(row, content, validates);
      }),
    );
  }

  function termIdsOf(content: ParsedContent): number[] {
    return columns.fields.flatMap((column) => {
      const definition = column.definitionIn(content.bundle);
      const isTerm = definition !== undefined && entityTarget(definition) === 'taxonomy_term';
      return isTerm ? targetIds(itemsOf(content, column)) : [];
    });
  }

  async function planRow(row: TableRow, content: ParsedContent, validates: boolean): Promise<PlannedRow> {
    const problems: TableProblem[] = [];
    const problem = (column: string | undefined, message: string, group?: string) =>
      problems.push(problemIn(row, column, message, group));
    const { id, label } = { id: content.head.id, label: labelOf(content) };
    const ended = (plan?: UpdatePlan): PlannedRow => ({ id, plan: problems.length > 0 ? undefined : plan, problems });
    const typeCell = row.cells.get(TYPE_COLUMN[type])?.trim();
    if (typeCell !== undefined && typeCell !== content.bundle.name)
      problem(TYPE_COLUMN[type], `It is ${shown(content.bundle.name)}. An update does not change the type.`);
    const edited: EditedCell[] = [];
    for (const column of columns.fields) {
      const cell = row.cells.get(column.column);
      if (cell === undefined) continue;
      const definition = column.definitionIn(content.bundle);
      if (definition === undefined) {
        problem(column.column, `Content of the type ${content.bundle.name} has no such field.`);
        continue;
      }
      const text = cell.replace(ESCAPED, '');
      const present = textOf(itemsOf(content, column), definition);
      if (column.mode !== 'replace' || normal(text) !== normal(present))
        edited.push({ ...column, definition, text, present });
    }
    if (edited.length === 0) return ended();
    const access = kind.access.update(actor, content.head);
    if (!access.isAllowed) {
      problem(undefined, `${actor.name} may not change ${shown(label)}. ${access.reason}`.trim());
      return ended();
    }
    const exported = await exportedState(row, content);
    if (typeof exported === 'string') {
      problem(REVISION, exported);
      return ended();
    }
    const [before, after, faulty]: [FieldValues, Map<string, PlannedItem[]>, Set<string>] = [{}, new Map(), new Set()];
    const cells: CellChange[] = [];
    for (const { definition, field, column, mode, text, present } of edited) {
      const stored = itemsOf(content, { field } as FieldColumn);
      const read: CellValues =
        text.trim() === CLEARING ? { items: [], faults: [] } : await cellValues.read(text, definition);
      for (const { fault, group } of read.faults) problem(column, fault, group);
      if (read.faults.length > 0) {
        faulty.add(field);
        continue;
      }
      const wanted = applied(mode, stored, read.items, definition);
      const isNew = wanted.some(({ newTerm }) => newTerm !== undefined);
      const items = wanted.map(({ item }) => item);
      if (!isNew && isSame(items, stored, definition)) continue;
      if (exported !== undefined && mode === 'replace') {
        const then = itemsOf(exported, { field } as FieldColumn);
        // It was changed elsewhere, and the table still has the value of the export.
        if (!isNew && isSame(items, then, definition)) continue;
        if (!isSame(then, stored, definition)) {
          problem(column, `It was changed since the export, to ${shown(present)}. Export again, or ${overwrite}.`);
          continue;
        }
      }
      before[field] = stored;
      after.set(field, wanted);
      cells.push({ column, before: present, after: mode === 'replace' ? text : textOfPlanned(wanted, definition) });
    }
    if (after.size === 0) return ended();
    if (validates && problems.length === 0)
      for (const { column, message } of await checks.check({
        ...{ bundle: content.bundle, values: after, hasParent: false, faulty, content },
      }))
        problem(column, message);
    return ended({ row: row.number, line: row.line, id, label, before, after, cells });
  }

  /** Returns the content as the export of the row had it; undefined if it is the present state or unknown; or a problem. */
  async function exportedState(row: TableRow, content: ParsedContent): Promise<ParsedContent | undefined | string> {
    const fingerprint = row.cells.get(REVISION)?.trim();
    if (fingerprint === undefined || overwrites || fingerprint === contentFingerprint(content)) return undefined;
    const exported = await findExported(services, content, fingerprint);
    if (exported === undefined)
      return `It was changed since the export, and its history lacks the exported state. Export again, or ${overwrite}.`;
    const parsed = parseDocument(exported);
    await terms.load(termIdsOf(parsed));
    return parsed;
  }

  function applied(
    mode: CellMode,
    stored: readonly Item[],
    items: readonly PlannedItem[],
    definition: FieldDefinition,
  ): PlannedItem[] {
    if (mode === 'replace') return [...items];
    const isIn = (item: Item, list: readonly Item[]) => list.some((each) => isSame([each], [item], definition));
    const present = stored.map((item) => ({ item }));
    if (mode === 'append')
      return [...present, ...items.filter(({ item, newTerm }) => newTerm !== undefined || !isIn(item, stored))];
    const removed = items.filter(({ newTerm }) => newTerm === undefined).map(({ item }) => item);
    return present.filter(({ item }) => !isIn(item, removed));
  }

  function textOfPlanned(items: readonly PlannedItem[], definition: FieldDefinition): string {
    return items
      .map(({ item, newTerm }) => (newTerm === undefined ? textOf([item], definition) : newTerm.name))
      .join(subdelimiter);
  }

  return { columns, plan };
}

function labelOf({ members, kind }: ParsedContent): string {
  return String(members[kind.labelMember ?? '']?.[0]?.value ?? '');
}

/** Returns a cell without what spreadsheets change in texts: line ends, and spaces around them. */
function normal(text: string): string {
  return text.replace(/\r\n?/g, '\n').trim();
}

function faultyRow(row: TableRow, column: string | undefined, message: string): PlannedRow {
  return { id: undefined, plan: undefined, problems: [problemIn(row, column, message)] };
}

function problemIn({ number, line }: TableRow, column: string | undefined, message: string, group?: string) {
  const problem: TableProblem = { row: number, line, column, message };
  return group === undefined ? problem : { ...problem, group };
}
