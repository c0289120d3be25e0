import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createActorFactory } from '../../src/repository/actor.ts';
import { createKinds } from '../../src/repository/content/kinds.ts';
import { createFindUser } from '../../src/repository/users/find-user.ts';
import { type CheckWatch, checkTable, type TableCheck } from '../../src/transfer/table/check-table.ts';
import { createPlanner, type Planner } from '../../src/transfer/table/create-planner.ts';
import { readHeader, readTable } from '../../src/transfer/table/read-table.ts';
import type { PlannedItem, RowPlan, TableProblem } from '../../src/transfer/table/row-plan.ts';
import { type LoadContext, type TableOptions, USUAL_TABLE_OPTIONS } from '../../src/transfer/table/table-options.ts';
import { emptyFolder } from './empty-folder.ts';
import { MODEL } from './site-builder.ts';
import type { TestRepository } from './test-repository.ts';

/** Tables that are checked against a repository. */
export interface TableSite {
  folder: string;
  context: LoadContext;
  /** The same for another user. */
  as(name: string): Promise<LoadContext>;
  write(text: string | Uint8Array): Promise<string>;
  check(text: string | Uint8Array, options?: Partial<TableOptions>, watch?: CheckWatch): Promise<TableCheck>;
  /** The messages of a check, each as `row column: message`. */
  problems(text: string | Uint8Array, options?: Partial<TableOptions>): Promise<string[]>;
  /** Returns the planned entities of a valid table. */
  plans(text: string, options?: Partial<TableOptions>): Promise<RowPlan[]>;
  /** Returns the values of one cell of a field in a row with all required cells. */
  cell(field: string, text: string, options?: Partial<TableOptions>): Promise<readonly PlannedItem[]>;
  /** Returns the problems of such a cell. */
  refusal(field: string, text: string, options?: Partial<TableOptions>): Promise<string>;
  remove(): Promise<void>;
}

/** Returns the parts that loading needs, on behalf of a user of a repository. */
export async function loadContextOf({ running: { services } }: TestRepository, name = 'admin'): Promise<LoadContext> {
  const user = await createFindUser(services.database).byName(name);
  if (user === undefined) throw new Error(`there is no user ${name}`);
  const { row, roles } = user;
  const actor = createActorFactory(
    services.model,
    services.access,
  )({ id: row.id, uuid: row.uuid, name: row.name, roles });
  return { services, kinds: createKinds(services.model), actor };
}

export async function createTableSite(repository: TestRepository): Promise<TableSite> {
  const folder = await emptyFolder();
  const path = join(folder, 'nodes.csv');

  const as = (name: string) => loadContextOf(repository, name);
  const context = await as('admin');

  async function write(text: string | Uint8Array): Promise<string> {
    await writeFile(path, text);
    return path;
  }

  async function check(text: string | Uint8Array, options: Partial<TableOptions> = {}, watch: CheckWatch = {}) {
    return checkTable(context, await write(text), { ...USUAL_TABLE_OPTIONS, ...options }, watch);
  }

  async function problems(text: string | Uint8Array, options: Partial<TableOptions> = {}): Promise<string[]> {
    return (await check(text, options)).problems.map(described);
  }

  async function plans(text: string, options: Partial<TableOptions> = {}): Promise<RowPlan[]> {
    const whole = { ...USUAL_TABLE_OPTIONS, ...options };
    const file = await write(text);
    const planner = await createPlanner(context, await readHeader(file, whole), whole);
    if (Array.isArray(planner)) throw new Error(planner.map(described).join('\n'));
    const found: RowPlan[] = [];
    for await (const batch of readTable(file, whole)) {
      for (const plan of await Promise.all(batch.map((row) => (planner as Planner).plan(row)))) {
        if (Array.isArray(plan)) throw new Error(plan.map(described).join('\n'));
        found.push(plan);
      }
    }
    return found;
  }

  const rowWith = (field: string, text: string) =>
    field === 'field_model'
      ? `id,title,field_model\n1,A title,${quoted(text)}\n`
      : `id,title,field_model,${field}\n1,A title,${MODEL.image},${quoted(text)}\n`;

  return {
    folder,
    context,
    as,
    write,
    check,
    problems,
    plans,
    async cell(field, text, options) {
      const [plan] = await plans(rowWith(field, text), options);
      return plan?.values.get(field) ?? [];
    },
    refusal: async (field, text, options) => (await problems(rowWith(field, text), options)).join('\n'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

function described({ row, column, message }: TableProblem): string {
  return `${row ?? 'table'} ${column ?? '-'}: ${message}`;
}
