import { stat } from 'node:fs/promises';
import { codeOf } from '../../base/errors.ts';
import { madeOnce } from '../../base/made-once.ts';
import type { FieldDefinition, Item, NodeType } from '../../model/content-model.ts';
import { nodeAccess } from '../../repository/access.ts';
import { type CellValues, createCellValues } from './cell-values.ts';
import { CONTENT_TYPE, ID, MEMBER_OF, missingColumns, PARENT, readColumns } from './columns.ts';
import { createFindFile, type FindFile } from './find-files.ts';
import { createFindReferred } from './find-referred.ts';
import { noSuchType, optionProblems } from './option-problems.ts';
import { createFilePlans, type FileOutcome } from './plan-files.ts';
import type { PlannedItem, RowPlan, TableProblem, TableRow } from './row-plan.ts';
import { fingerprintOf, tableProblem } from './row-plan.ts';
import type { LoadContext, TableOptions } from './table-options.ts';
import { createTermValues } from './term-value.ts';
import { createValueChecks } from './value-checks.ts';

/** Turns rows of a table into plans of what is to be made of them. */
export interface Planner {
  /**
   * What is to be made of a row, or all that is wrong with it. Planning the rows of a batch at once makes one question
   * to the database out of many. That ids, aliases and parents fit together is for the check of the whole table.
   */
  plan(row: TableRow): RowPlan | TableProblem[] | Promise<RowPlan | TableProblem[]>;
}

export interface PlannerSettings {
  /** Whether values are checked as a write checks them; left out, they are. A write does so itself. */
  readonly validates?: boolean;
  /** Breaks off what takes long: the comparing of files with their checksums. */
  readonly signal?: AbortSignal | undefined;
}

interface FieldColumn {
  readonly column: string;
  readonly definition: FieldDefinition | undefined;
}

/** What a row says of its node, as far as it is understood. */
interface Understood {
  readonly bundle: NodeType;
  readonly values: Map<string, PlannedItem[]>;
  readonly found: TableProblem[];
  readonly faulty: Set<string>;
}

const NO_FIELD: CellValues = { items: [], faults: [] };

/** A planner for what is understood of a header, and what is not. */
export interface OpenedPlanner {
  readonly planner: Planner;
  readonly problems: TableProblem[];
}

/** Makes the planner of a table, or says what is wrong with its header and its options. */
export async function createPlanner(
  context: LoadContext,
  header: readonly string[],
  options: TableOptions,
  settings: PlannerSettings = {},
): Promise<Planner | TableProblem[]> {
  const { planner, problems } = await openPlanner(context, header, options, settings);
  return problems.length > 0 ? problems : planner;
}

/** The same, for whoever wants to know what is wrong with the rows as well. */
export async function openPlanner(
  context: LoadContext,
  header: readonly string[],
  options: TableOptions,
  { validates = true, signal }: PlannerSettings = {},
): Promise<OpenedPlanner> {
  const { services, actor } = context;
  const { nodeTypes, textFormats } = services.model;
  const { columns, problems } = readColumns(context, header, options);
  const referred = createFindReferred(services);
  const terms = createTermValues(context, referred, options);
  // A format that there is not is told of once, with the options, and not with each text.
  const textFormat = textFormats.has(options.textFormat ?? '') ? options.textFormat : undefined;
  const cellValues = createCellValues(referred, terms, services.fields.types, { ...options, textFormat });
  const usual = nodeTypes.get(options.contentType);
  problems.push(...(await optionProblems(context, columns, options, terms)));
  if (usual && !columns.all.has(CONTENT_TYPE)) problems.push(...missingColumns(usual, columns.all));
  const told = new Set(problems.map(({ column }) => column));
  /** The columns that fill a field of nodes; without a definition where a type has none. */
  const fieldColumnsOf = madeOnce(({ fieldNamed }: NodeType): readonly FieldColumn[] =>
    header
      .filter((column) => columns.base.has(column) || columns.fields.has(column))
      .map((column) => ({ column, definition: columns.base.get(column) ?? fieldNamed.get(column) })),
  );
  const ofNode = header.filter((column) => !columns.ofFiles.has(column)).sort();
  const checks = createValueChecks(context, referred, columns, told, options);
  const find = await findFileIn(options.files, problems);
  const files = createFilePlans(context, terms, columns, {
    subdelimiter: options.subdelimiter,
    find,
    asksForFolder: options.files === undefined,
    verifies: validates,
    signal,
  });

  function plan(row: TableRow): ReturnType<Planner['plan']> {
    const { cells, fault } = row;
    if (fault) return [problemIn(row, fault.column, fault.message)];
    const bundle = bundleOf(cells);
    // That of all rows is told of once, with the options.
    if (typeof bundle === 'string' && !columns.all.has(CONTENT_TYPE)) return [];
    if (typeof bundle === 'string') return [problemIn(row, cells.has(CONTENT_TYPE) ? CONTENT_TYPE : undefined, bundle)];
    const read: (CellValues | Promise<CellValues> | undefined)[] = [];
    for (const { column, definition } of fieldColumnsOf(bundle)) {
      const cell = cells.get(column);
      read.push(cell === undefined ? undefined : definition ? cellValues.read(cell, definition) : NO_FIELD);
    }
    // Of most rows everything is known by now: to wait for each cell would take longer than to understand it.
    return read.some((each) => each instanceof Promise)
      ? Promise.all(read).then((all) => goOn(row, understood(row, bundle, all)))
      : goOn(row, understood(row, bundle, read as (CellValues | undefined)[]));
  }

  function understood(row: TableRow, bundle: NodeType, read: readonly (CellValues | undefined)[]): Understood {
    const found: TableProblem[] = [];
    const values = new Map<string, PlannedItem[]>();
    const faulty = new Set<string>();
    for (const [index, { column, definition }] of fieldColumnsOf(bundle).entries()) {
      const cell = read[index];
      if (cell === undefined) continue;
      if (definition === undefined) {
        found.push(problemIn(row, column, `Content of the type ${bundle.name} has no such field.`));
        continue;
      }
      if (cell.items.length > 0) values.set(definition.name, cell.items);
      if (cell.faults.length > 0) faulty.add(definition.name);
      for (const { fault, group } of cell.faults) found.push(problemIn(row, column, fault, group));
    }
    if (columns.all.has(ID) && !row.cells.has(ID)) found.push(problemIn(row, ID, 'The row has no id.'));
    const parentProblem = whyNoParent(row.cells, bundle);
    if (parentProblem !== undefined) found.push(problemIn(row, PARENT, parentProblem));
    return { bundle, values, found, faulty };
  }

  function goOn(row: TableRow, known: Understood): ReturnType<Planner['plan']> {
    return validates || files.hasAny(row.cells) ? lookFurther(row, known) : planOf(row, known, []);
  }

  /** At what needs the database or the disk. */
  async function lookFurther(row: TableRow, known: Understood): Promise<RowPlan | TableProblem[]> {
    const { bundle, values, found, faulty } = known;
    if (validates) {
      const checked = await checks.check({ bundle, values, hasParent: row.cells.has(PARENT), faulty });
      for (const { column, message } of checked) found.push(problemIn(row, column, message));
    }
    return planOf(row, known, await files.plan(row.cells, ofMedia(values)));
  }

  function planOf(row: TableRow, { bundle, values, found }: Understood, outcomes: FileOutcome[]) {
    for (const each of outcomes) if (!isPlanned(each)) found.push(problemIn(row, each.column, each.fault, each.group));
    if (found.length > 0) return found;
    const { number, line, cells } = row;
    return {
      number,
      line,
      id: cells.get(ID)?.trim() ?? '',
      parentId: cells.get(PARENT)?.trim(),
      bundle,
      values,
      files: outcomes.filter(isPlanned),
      // Whoever only checks a table has no use for it.
      get fingerprint() {
        return fingerprintOf([bundle.name, saidOfNode(cells, ofNode)]);
      },
    };
  }

  function bundleOf(cells: TableRow['cells']): NodeType | string {
    const name = cells.get(CONTENT_TYPE)?.trim() ?? options.contentType;
    const bundle = nodeTypes.get(name);
    if (bundle === undefined) return noSuchType(name, [...nodeTypes.keys()]);
    const access = nodeAccess.create(actor, name);
    return access.isAllowed ? bundle : `${actor.name} may not make content of the type ${name}.`;
  }

  return { planner: { plan }, problems };
}

async function findFileIn(folder: string | undefined, problems: TableProblem[]): Promise<FindFile | undefined> {
  if (folder === undefined) return undefined;
  try {
    if (!(await stat(folder)).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' });
    return await createFindFile(folder);
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    const reason = code === 'ENOENT' ? 'there is no such folder' : code === 'ENOTDIR' ? 'it is no folder' : code;
    problems.push(tableProblem(`The folder of files ${folder} cannot be used: ${reason}.`));
    return undefined;
  }
}

function problemIn({ number, line }: TableRow, column: string | undefined, message: string, group?: string) {
  const problem: TableProblem = { row: number, line, column, message };
  return group === undefined ? problem : { ...problem, group };
}

function whyNoParent(cells: TableRow['cells'], bundle: NodeType): string | undefined {
  if (!cells.has(PARENT)) return undefined;
  if (cells.has(MEMBER_OF)) return `The row has both ${PARENT} and ${MEMBER_OF}: one says where it belongs.`;
  if (!bundle.fieldNamed.has(MEMBER_OF)) return `Content of the type ${bundle.name} has no ${MEMBER_OF}.`;
  return undefined;
}

/** What holds for the media of a node as well (Islandora Workbench, "Base fields"). */
function ofMedia(values: ReadonlyMap<string, readonly PlannedItem[]>): Record<string, Item[]> {
  const found: Record<string, Item[]> = {};
  for (const name of ['status', 'uid', 'created']) {
    const items = values.get(name);
    if (items) found[name] = items.map(({ item }) => item);
  }
  return found;
}

/** The filled cells of these columns. */
function saidOfNode(cells: TableRow['cells'], columns: readonly string[]): [string, string][] {
  const said: [string, string][] = [];
  for (const column of columns) {
    const cell = cells.get(column);
    if (cell !== undefined) said.push([column, cell]);
  }
  return said;
}

function isPlanned(outcome: FileOutcome): outcome is Exclude<FileOutcome, { fault: string }> {
  return !('fault' in outcome);
}
