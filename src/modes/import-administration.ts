import type { FoundRun, ImportRun } from '../loading/import/import-run.ts';
import {
  type ImportCounts,
  type ImportSettings,
  type ImportSummary,
  type ImportWatch,
  importTable,
  writeResultAgain,
} from '../loading/import/import-table.ts';
import {
  type FinishedImport,
  type ImportRequest,
  type PreparedImport,
  type PrepareWatch,
  prepareImport,
} from '../loading/import/prepare-import.ts';
import type { CheckProgress } from '../loading/table/check-table.ts';
import type { TableProblem } from '../loading/table/row-plan.ts';
import { TableError } from '../loading/table/table-error.ts';
import type { LoadContext, TableOptions } from '../loading/table/table-options.ts';
import { createActorFactory } from '../repository/actor.ts';
import { createKinds } from '../repository/content/kinds.ts';
import type { Services } from '../repository/services.ts';
import type { User } from '../repository/users/find-user.ts';
import { CommandError } from './command-error.ts';

export type {
  CheckProgress,
  FinishedImport,
  FoundRun,
  ImportCounts,
  ImportRequest,
  ImportRun,
  ImportSettings,
  ImportSummary,
  ImportWatch,
  PreparedImport,
  PrepareWatch,
  TableOptions,
  TableProblem,
};

/** The loading of tables, on behalf of a user. */
export interface ImportAdministration {
  /**
   * Checks a table, whole; one that was loaded before is only said to be so. Throws CommandError for a user who does not
   * exist or is blocked, and for a file that cannot be read.
   */
  prepare(request: ImportRequest, userName: string, watch: PrepareWatch): Promise<PreparedImport | FinishedImport>;
  /** Loads a table that has no problems. Throws ServiceError, and what the system says. */
  load(
    prepared: PreparedImport,
    userName: string,
    settings: Omit<ImportSettings, 'result'> & { readonly output: string },
    watch: ImportWatch,
  ): Promise<ImportSummary>;
  /** Writes the result of an import once more. */
  writeResult(finished: FinishedImport, userName: string, output: string): Promise<void>;
}

/** To be called with services that have the stores open. `baseUrl` is empty where none is configured. */
export function createImportAdministration(
  services: Services,
  findUser: (name: string) => Promise<User>,
  baseUrl: string,
): ImportAdministration {
  const kinds = createKinds(services.model);
  const makeActor = createActorFactory(services.model);

  async function contextOf(userName: string): Promise<LoadContext> {
    const { row, roles } = await findUser(userName);
    if (!row.status)
      throw new CommandError(`${row.name} is blocked: let them in first with: repo user unblock ${row.name}`);
    return { services, kinds, actor: makeActor({ id: row.id, uuid: row.uuid, name: row.name, roles }) };
  }

  return {
    async prepare(request, userName, watch) {
      const context = await contextOf(userName);
      try {
        return await prepareImport(context, request, watch);
      } catch (error) {
        throw error instanceof TableError ? new CommandError(error.message) : error;
      }
    },
    async load(prepared, userName, { concurrency, output }, watch) {
      const result = { target: output, baseUrl };
      return importTable(await contextOf(userName), prepared, { concurrency, result }, watch);
    },
    async writeResult(finished, userName, output) {
      await writeResultAgain(await contextOf(userName), finished, { target: output, baseUrl });
    },
  };
}
