import { name as program, version } from '../../package.json' with { type: 'json' };
import { nearest } from '../base/nearest.ts';
import { exportPackages, type PackageExport } from '../loading/export/export-packages.ts';
import type { ExportProblem, ExportProgress, ExportSummary, ExportWatch } from '../loading/export/export-report.ts';
import { exportTable, type TableExport } from '../loading/export/export-table.ts';
import { type NodeSelection, type SelectedNodes, selectNodes } from '../loading/export/select-nodes.ts';
import type { LoadContext } from '../loading/table/table-options.ts';
import { createActorFactory } from '../repository/actor.ts';
import { createKinds } from '../repository/content/kinds.ts';
import type { Services } from '../repository/services.ts';
import { ADMINISTRATOR_ID, ADMINISTRATOR_NAME } from '../repository/setup/first-users.ts';
import type { FindUser, User } from '../repository/users/find-user.ts';
import { known } from '../repository/users/manage-users.ts';
import { CommandError } from './command-error.ts';

export type { ExportProblem, ExportProgress, ExportSummary };

/** Which nodes, and as whom they are read. */
export interface ExportRequest extends NodeSelection {
  /** The name of a user; undefined for the administrator. */
  readonly user: string | undefined;
}

/** The way of nodes out of the repository, from a machine that has its stores. */
export interface ExportAdministration {
  /** Both throw CommandError for nodes, types and users that there are not, and PackageError for a place that will not do. */
  toTable(request: ExportRequest, table: Omit<TableExport, 'contentType'>, watch: ExportWatch): Promise<ExportSummary>;
  toPackages(
    request: ExportRequest,
    packages: Pick<PackageExport, 'format' | 'folder'>,
    watch: ExportWatch,
  ): Promise<ExportSummary>;
}

/** To be called with services that have the stores open; `findNamed` throws CommandError for a user that there is not. */
export function createExportAdministration(
  services: Services,
  findUser: FindUser,
  findNamed: (name: string) => Promise<User>,
): ExportAdministration {
  const makeActor = createActorFactory(services.model);
  const kinds = createKinds(services.model);

  async function contextFor(user: string | undefined): Promise<LoadContext> {
    const { row, roles } =
      user === undefined ? known(await findUser.byId(ADMINISTRATOR_ID), ADMINISTRATOR_NAME) : await findNamed(user);
    if (user !== undefined && !row.status) throw new CommandError(`${row.name} is blocked, and may see nothing.`);
    return { services, kinds, actor: makeActor({ id: row.id, uuid: row.uuid, name: row.name, roles }) };
  }

  async function select(context: LoadContext, selection: NodeSelection): Promise<SelectedNodes> {
    const { contentType, nodes, membersOf } = selection;
    const types = [...services.model.nodeTypes.keys()];
    if (contentType !== undefined && !types.includes(contentType)) {
      const guess = nearest(contentType, types);
      const hint = guess === undefined ? `there are ${types.join(', ')}` : `did you mean ${guess}?`;
      throw new CommandError(`There is no content type ${contentType}; ${hint}`);
    }
    const named = [...nodes, ...(membersOf === undefined ? [] : [membersOf])];
    const all = await selectNodes(context, { nodes: named, membersOf: undefined, contentType: undefined });
    const found = await all.among(named);
    const missing = named.filter((id) => !found.has(id));
    if (missing.length > 0)
      throw new CommandError(`There is no node ${missing.join(', ')}, or ${context.actor.name} may not see it.`);
    return selectNodes(context, selection);
  }

  return {
    async toTable(request, table, watch) {
      const context = await contextFor(request.user);
      const whole = { ...table, contentType: request.contentType };
      return exportTable(context, await select(context, request), whole, watch);
    },
    async toPackages(request, packages, watch) {
      const context = await contextFor(request.user);
      const selected = await select(context, request);
      return exportPackages(context, selected, { ...packages, agent: `${program} ${version}` }, watch);
    },
  };
}
