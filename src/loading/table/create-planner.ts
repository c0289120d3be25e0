import { stat } from 'node:fs/promises';
import { codeOf } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import type { FieldDefinition, Item, NodeType } from '../../model/content-model.ts';
import { nodeAccess } from '../../repository/access.ts';
import { oneOf, shown } from './cell-value.ts';
import { createCellValues } from './cell-values.ts';
import { CONTENT_TYPE, type Columns, ID, MEMBER_OF, missingColumns, PARENT, readColumns } from './columns.ts';
import { createFindFile, type FindFile } from './find-files.ts';
import { createFindReferred } from './find-referred.ts';
import { fingerprintOf } from './fingerprint.ts';
import { createFilePlans, type FileOutcome } from './plan-files.ts';
import type { PlannedItem, RowPlan, TableProblem, TableRow } from './row-plan.ts';
import { tableProblem } from './table-error.ts';
import type { LoadContext, TableOptions } from './table-options.ts';
import { createTermValues, type TermValues } from './term-value.ts';
import { createValueChecks } from './value-checks.ts';

/** Turns rows of a table into plans of what is to be made of them. */
export interface Planner {
  /**
   * What is to be made of a row, or all that is wrong with it. Planning the rows of a batch at once makes one question
   * to the database out of many. That ids, aliases and parents fit together is for the check of the whole table.
   */
  plan(row: TableRow): Promise<RowPlan | TableProblem[]>;
}

export interface PlannerSettings {
  /** Whether values are checked as a write checks them; left out, they are. A write does so itself. */
  readonly validates?: boolean;
  /** Breaks off what takes long: the comparing of files with their checksums. */
  readonly signal?: AbortSignal | undefined;
}

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
  const { nodeTypes } = services.model;
  const { columns, problems } = readColumns(context, header, options);
  const referred = createFindReferred(services);
  const terms = createTermValues(context, referred, options.newTerms);
  const cellValues = createCellValues(referred, terms, options);
  const usual = nodeTypes.get(options.contentType);
  problems.push(...(await optionProblems(context, columns, options, terms)));
  if (usual && !columns.all.has(CONTENT_TYPE)) problems.push(...missingColumns(usual, columns.all));
  const told = new Set(problems.map(({ column }) => column));
  const checks = createValueChecks(context, referred, columns, told, options);
  const find = await findFileIn(options.files, problems);
  const files = createFilePlans(context, terms, columns, {
    subdelimiter: options.subdelimiter,
    find,
    asksForFolder: options.files === undefined,
    verifies: validates,
    signal,
  });

  async function plan(row: TableRow): Promise<RowPlan | TableProblem[]> {
    const { number, line, cells, fault } = row;
    const problemIn = (column: string | undefined, message: string): TableProblem => ({
      row: number,
      line,
      column,
      message,
    });
    if (fault) return [problemIn(fault.column, fault.message)];
    const bundle = bundleOf(cells);
    if (typeof bundle === 'string') return [problemIn(cells.has(CONTENT_TYPE) ? CONTENT_TYPE : undefined, bundle)];
    const found: TableProblem[] = [];
    const values = new Map<string, PlannedItem[]>();
    const faulty = new Set<string>();
    const definitions = definitionsOf(cells, bundle);
    const read = await Promise.all(
      definitions.map(([column, each]) => each && cellValues.read(cells.get(column) as string, each)),
    );
    for (const [index, [column, definition]] of definitions.entries()) {
      if (definition === undefined) {
        found.push(problemIn(column, `Content of the type ${bundle.name} has no such field.`));
        continue;
      }
      const { items, faults } = read[index] as NonNullable<(typeof read)[number]>;
      if (items.length > 0) values.set(definition.name, items);
      if (faults.length > 0) faulty.add(definition.name);
      for (const each of faults) found.push(problemIn(column, each));
    }
    const id = cells.get(ID)?.trim();
    if (id === undefined && columns.all.has(ID)) found.push(problemIn(ID, 'The row has no id.'));
    const parentId = cells.get(PARENT)?.trim();
    const parentProblem = whyNoParent(cells, bundle, parentId);
    if (parentProblem !== undefined) found.push(problemIn(PARENT, parentProblem));
    if (validates) {
      const checked = await checks.check({ bundle, values, hasParent: parentId !== undefined, faulty });
      for (const { column, message } of checked) found.push(problemIn(column, message));
    }
    const outcomes = await files.plan(cells, ofMedia(values));
    for (const each of outcomes) if (!isPlanned(each)) found.push(problemIn(each.column, each.fault));
    if (found.length > 0) return found;
    const fingerprint = fingerprintOf([bundle.name, saidOfNode(cells, columns)]);
    return { number, line, id: id ?? '', parentId, bundle, values, files: outcomes.filter(isPlanned), fingerprint };
  }

  function bundleOf(cells: TableRow['cells']): NodeType | string {
    const name = cells.get(CONTENT_TYPE)?.trim() ?? options.contentType;
    const bundle = nodeTypes.get(name);
    if (bundle === undefined) return noSuchType(name, [...nodeTypes.keys()]);
    const access = nodeAccess.create(actor, name);
    return access.isAllowed ? bundle : `${actor.name} may not make content of the type ${name}.`;
  }

  /** The columns of a row that fill a field of its node; without a definition where its type has none. */
  function definitionsOf(cells: TableRow['cells'], bundle: NodeType): [string, FieldDefinition | undefined][] {
    const found: [string, FieldDefinition | undefined][] = [];
    for (const column of cells.keys()) {
      const base = columns.base.get(column);
      if (base) found.push([column, base]);
      else if (columns.fields.has(column)) found.push([column, bundle.fieldNamed.get(column)]);
    }
    return found;
  }

  return { planner: { plan }, problems };
}

async function optionProblems(
  { services, actor }: LoadContext,
  columns: Columns,
  { contentType, textFormat, additionalFiles, subdelimiter, delimiter }: TableOptions,
  terms: TermValues,
): Promise<TableProblem[]> {
  const { nodeTypes, textFormats, mediaTypes } = services.model;
  const messages: string[] = [];
  if (!columns.all.has(CONTENT_TYPE)) {
    if (!nodeTypes.has(contentType)) messages.push(noSuchType(contentType, [...nodeTypes.keys()]));
    else if (!nodeAccess.create(actor, contentType).isAllowed)
      messages.push(`${actor.name} may not make content of the type ${contentType}.`);
  }
  if (subdelimiter === '' || subdelimiter === delimiter)
    messages.push('The subdelimiter and the delimiter are two different characters.');
  if (textFormat !== undefined && !textFormats.has(textFormat))
    messages.push(`There is no text format ${shown(textFormat)}; there are ${oneOf([...textFormats.keys()])}.`);
  const useField = [...mediaTypes.values()].flatMap(({ fieldNamed }) => fieldNamed.get('field_media_use') ?? [])[0];
  for (const [column, use] of additionalFiles) {
    const value = useField && (await terms.read(use, useField, false));
    if (value && 'fault' in value) messages.push(`--additional-files ${column}=${use}: ${value.fault}`);
  }
  return messages.map((message) => tableProblem(message));
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

function noSuchType(name: string, known: readonly string[]): string {
  const guess = nearest(name, known);
  const hint = guess === undefined ? `there are ${oneOf(known)}` : `did you mean ${guess}?`;
  return `There is no content type ${shown(name)}; ${hint}`;
}

function whyNoParent(cells: TableRow['cells'], bundle: NodeType, parentId: string | undefined): string | undefined {
  if (parentId === undefined) return undefined;
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

function saidOfNode(cells: TableRow['cells'], { ofFiles }: Columns): [string, string][] {
  return [...cells].filter(([column]) => !ofFiles.has(column)).sort(([a], [b]) => (a < b ? -1 : 1));
}

function isPlanned(outcome: FileOutcome): outcome is Exclude<FileOutcome, { fault: string }> {
  return !('fault' in outcome);
}
