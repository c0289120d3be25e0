import { stat } from 'node:fs/promises';
import { codeOf } from '../../base/errors.ts';
import { madeOnce } from '../../base/made-once.ts';
import type { FieldDefinition, Item, NodeType } from '../../model/content-model.ts';
import { nodeAccess } from '../../repository/access.ts';
import { MEMBER_OF } from '../../repository/relations.ts';
import { type CellValues, createCellValues } from './cell-values.ts';
import { CONTENT_TYPE, columnOf, ID, missingColumns, PARENT, readColumns } from './columns.ts';
import { createFindFile, type FindFile } from './find-files.ts';
import { createFindReferred } from './find-referred.ts';
import { optionProblems, unknownType } from './option-problems.ts';
import { createFilePlans, type FileOutcome } from './plan-files.ts';
import type { PlannedItem, RowPlan, TableProblem, TableRow } from './row-plan.ts';
import { fingerprintOf, tableProblem } from './row-plan.ts';
import type { LoadContext, TableOptions } from './table-options.ts';
import { createTermValues } from './term-value.ts';
import { createValueChecks } from './value-checks.ts';

/** Plans the nodes and files of rows. */
export interface Planner {
  /**
   * Returns the plan of a row, or its problems. Plan all rows of a batch concurrently, so that they share queries. Does
   * not check ids, aliases and parents against other rows; see `RowIndex`.
   */
  plan(row: TableRow): RowPlan | TableProblem[] | Promise<RowPlan | TableProblem[]>;
}

interface PlannerSettings {
  /** False to skip the validation of values, which every write repeats (default: true). */
  readonly validates?: boolean;
  /** Aborts the comparison of files with their checksums. */
  readonly signal?: AbortSignal | undefined;
}

interface FieldColumn {
  readonly column: string;
  readonly definition: FieldDefinition | undefined;
}

/** The parsed cells of a row. */
interface ParsedRow {
  readonly bundle: NodeType;
  readonly values: Map<string, PlannedItem[]>;
  readonly problems: TableProblem[];
  readonly faulty: Set<string>;
}

const NO_FIELD: CellValues = { items: [], faults: [] };

/** A planner for the known columns of a header, and the problems of the others. */
interface OpenedPlanner {
  readonly planner: Planner;
  readonly problems: TableProblem[];
}

/** Creates the planner of a table, or returns the problems of its header and options. */
export async function createPlanner(
  context: LoadContext,
  header: readonly string[],
  options: TableOptions,
  settings: PlannerSettings = {},
): Promise<Planner | TableProblem[]> {
  const { planner, problems } = await openPlanner(context, header, options, settings);
  return problems.length > 0 ? problems : planner;
}

/** Creates the planner of a table even if its header or options have problems, to find the problems of its rows, too. */
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
  // An unknown format is one problem of the options, and not a problem of each text.
  const textFormat = textFormats.has(options.textFormat ?? '') ? options.textFormat : undefined;
  const cellValues = createCellValues(referred, terms, services.fields.types, { ...options, textFormat });
  const usual = nodeTypes.get(options.contentType);
  problems.push(...(await optionProblems(context, columns, options, terms)));
  if (usual && !columns.all.has(CONTENT_TYPE)) problems.push(...missingColumns(usual, columns.all));
  const reported = new Set(problems.map(({ column }) => column));
  /** Returns the columns of fields. Their definition is undefined if the content type lacks the field. */
  const fieldColumnsOf = madeOnce(({ fieldNamed }: NodeType): readonly FieldColumn[] =>
    header
      .filter((column) => columns.base.has(column) || columns.fields.has(column))
      .map((column) => ({ column, definition: columns.base.get(column) ?? fieldNamed.get(column) })),
  );
  const ofNode = header.filter((column) => !columns.ofFiles.has(column)).sort();
  const checks = createValueChecks(context, referred, { columnOf, all: columns.all, reported }, options);
  const find = await findFileIn(options, problems);
  const files = createFilePlans(context, terms, columns, {
    subdelimiter: options.subdelimiter,
    downloads: options.downloads,
    find,
    asksForFolder: options.files === undefined,
    verifies: validates,
    signal,
  });

  function plan(row: TableRow): ReturnType<Planner['plan']> {
    const { cells, fault } = row;
    if (fault) return [problemIn(row, fault.column, fault.message)];
    const bundle = bundleOf(cells);
    // The content type of all rows is reported once, with the options.
    if (typeof bundle === 'string' && !columns.all.has(CONTENT_TYPE)) return [];
    if (typeof bundle === 'string') return [problemIn(row, cells.has(CONTENT_TYPE) ? CONTENT_TYPE : undefined, bundle)];
    const read: (CellValues | Promise<CellValues> | undefined)[] = [];
    for (const { column, definition } of fieldColumnsOf(bundle)) {
      const cell = cells.get(column);
      read.push(cell === undefined ? undefined : definition ? cellValues.read(cell, definition) : NO_FIELD);
    }
    // Most values are cached. Awaiting each cell would then take longer than reading it.
    return read.some((each) => each instanceof Promise)
      ? Promise.all(read).then((all) => finishPlan(row, parsedRow(row, bundle, all)))
      : finishPlan(row, parsedRow(row, bundle, read as (CellValues | undefined)[]));
  }

  function parsedRow(row: TableRow, bundle: NodeType, read: readonly (CellValues | undefined)[]): ParsedRow {
    const problems: TableProblem[] = [];
    const values = new Map<string, PlannedItem[]>();
    const faulty = new Set<string>();
    for (const [index, { column, definition }] of fieldColumnsOf(bundle).entries()) {
      const cell = read[index];
      if (cell === undefined) continue;
      if (definition === undefined) {
        problems.push(problemIn(row, column, `Content of the type ${bundle.name} has no such field.`));
        continue;
      }
      if (cell.items.length > 0) values.set(definition.name, cell.items);
      if (cell.faults.length > 0) faulty.add(definition.name);
      for (const { fault, group } of cell.faults) problems.push(problemIn(row, column, fault, group));
    }
    if (columns.all.has(ID) && !row.cells.has(ID)) problems.push(problemIn(row, ID, 'The row has no id.'));
    const parentProblem = whyNoParent(row.cells, bundle);
    if (parentProblem !== undefined) problems.push(problemIn(row, PARENT, parentProblem));
    return { bundle, values, problems, faulty };
  }

  function finishPlan(row: TableRow, known: ParsedRow): ReturnType<Planner['plan']> {
    return validates || files.hasAny(row.cells) ? runSlowChecks(row, known) : planOf(row, known, []);
  }

  /** Runs the checks that need the database or the disk. */
  async function runSlowChecks(row: TableRow, known: ParsedRow): Promise<RowPlan | TableProblem[]> {
    const { bundle, values, problems, faulty } = known;
    if (validates) {
      const checked = await checks.check({ bundle, values, hasParent: row.cells.has(PARENT), faulty });
      for (const { column, message } of checked) problems.push(problemIn(row, column, message));
    }
    return planOf(row, known, await files.plan(row.cells, bundle.name, ofMedia(values)));
  }

  function planOf(row: TableRow, { bundle, values, problems }: ParsedRow, outcomes: FileOutcome[]) {
    for (const each of outcomes)
      if (!isPlanned(each)) problems.push(problemIn(row, each.column, each.fault, each.group));
    if (problems.length > 0) return problems;
    const { number, line, cells } = row;
    return {
      number,
      line,
      id: cells.get(ID)?.trim() ?? '',
      parentId: cells.get(PARENT)?.trim(),
      bundle,
      values,
      files: outcomes.filter(isPlanned),
      // Computed on access: a check does not need it.
      get fingerprint() {
        return fingerprintOf([bundle.name, filledCells(cells, ofNode)]);
      },
    };
  }

  function bundleOf(cells: TableRow['cells']): NodeType | string {
    const name = cells.get(CONTENT_TYPE)?.trim() ?? options.contentType;
    const bundle = nodeTypes.get(name);
    if (bundle === undefined) return unknownType(name, [...nodeTypes.keys()]);
    const access = nodeAccess.create(actor, name);
    return access.isAllowed ? bundle : `The user ${actor.name} may not create content of the type ${name}.`;
  }

  return { planner: { plan }, problems };
}

async function findFileIn(
  { files: folder, words }: TableOptions,
  problems: TableProblem[],
): Promise<FindFile | undefined> {
  if (folder === undefined) return undefined;
  try {
    if (!(await stat(folder)).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' });
    return await createFindFile(folder, words);
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    const reason = code === 'ENOENT' ? 'no such folder' : code === 'ENOTDIR' ? 'it is no folder' : code;
    problems.push(tableProblem(`Cannot open the folder of files ${folder}: ${reason}.`));
    return undefined;
  }
}

function problemIn({ number, line }: TableRow, column: string | undefined, message: string, group?: string) {
  const problem: TableProblem = { row: number, line, column, message };
  return group === undefined ? problem : { ...problem, group };
}

function whyNoParent(cells: TableRow['cells'], bundle: NodeType): string | undefined {
  if (!cells.has(PARENT)) return undefined;
  if (cells.has(MEMBER_OF)) return `The row has both ${PARENT} and ${MEMBER_OF}. Remove one of them.`;
  if (!bundle.fieldNamed.has(MEMBER_OF)) return `Content of the type ${bundle.name} has no ${MEMBER_OF}.`;
  return undefined;
}

/** Returns the values that also apply to the media of a node (Islandora Workbench, "Base fields"). */
function ofMedia(values: ReadonlyMap<string, readonly PlannedItem[]>): Record<string, Item[]> {
  const defaults: Record<string, Item[]> = {};
  for (const name of ['status', 'uid', 'created']) {
    const items = values.get(name);
    if (items) defaults[name] = items.map(({ item }) => item);
  }
  return defaults;
}

/** Returns the non-empty cells of columns. */
function filledCells(cells: TableRow['cells'], columns: readonly string[]): [string, string][] {
  const filled: [string, string][] = [];
  for (const column of columns) {
    const cell = cells.get(column);
    if (cell !== undefined) filled.push([column, cell]);
  }
  return filled;
}

function isPlanned(outcome: FileOutcome): outcome is Exclude<FileOutcome, { fault: string }> {
  return !('fault' in outcome);
}
