import { Type as t } from '@sinclair/typebox';
import { requireFewRuns } from '../../bulk/change-with-members.ts';
import { pathOf, paths } from '../../paths.ts';
import { permissionAccess } from '../../repository/access.ts';
import { deleteImport } from '../../transfer/import/delete-import.ts';
import { type CreatingImport, findCreatedNodes, findImport, findImports } from '../../transfer/import/find-imports.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { type Rules, resource } from '../../web/check.ts';
import { formAnswer, seeOther } from '../../web/form-answer.ts';
import { PAGE_FORMATS, parametersOf } from '../../web/formats.ts';
import { id, PAGE_QUERY, pageOrFirst, queryOf } from '../../web/parameters.ts';
import { defineAdminPage } from '../admin/define-admin-page.ts';
import { deleteImportPage } from './delete-import-page.tsx';
import { finishedImportPage } from './finished-import-page.tsx';
import { importAccess } from './import-access.ts';
import { importsPage } from './imports-page.tsx';

const MAX_IMPORTS = 50;
const PAGE_SIZE = 50;

const params = t.Object({ import: id('The id of the import.') });

/** The list of imports, with the page of each: what it created, and its deletion. */
export const importsAdminPage = defineAdminPage({
  path: paths.imports,
  label: 'Imports',
  description: 'The tables that were imported, by whom and when; the items of each; undo and delete.',
  permission: importAccess,
  routes: (api, access) => finishedImportRoutes(api, access),
});

function finishedImportRoutes(api: ApiServices, access: (call: Call) => void) {
  const rules: Rules = { formats: PAGE_FORMATS, access };
  return resource(api)
    .get(paths.imports, ({ call }) => list(call), { check: rules })
    .get(paths.import, ({ call }) => show(call), { check: rules, params, query: queryOf(PAGE_QUERY) })
    .get(paths.importDelete, ({ call }) => confirm(call), { check: rules, params })
    .post(paths.importDelete, ({ call }) => remove(call), {
      check: { ...rules, form: 'signed' },
      params,
      body: t.Object({}),
    });
}

const administers = ({ actor }: Call) => permissionAccess(actor, 'administer site configuration').isAllowed;

/** Users see their own imports, administrators those of all users. */
async function findVisible(call: Call): Promise<CreatingImport> {
  const found = await findImport(call.api.services.database, call.id('import'));
  if (found === undefined || (found.userId !== call.actor.id && !administers(call))) throw call.notFound('import');
  return found;
}

async function list(call: Call): Promise<Response> {
  const isAll = administers(call);
  const imports = await findImports(call.api.services.database, isAll ? undefined : call.actor.id, MAX_IMPORTS);
  return formAnswer(importsPage({ imports, isAll }, call.site));
}

async function show(call: Call): Promise<Response> {
  const found = await findVisible(call);
  const query = parametersOf(call.request.url);
  const { limit, offset } = pageOrFirst({ page: query.get('page') ?? '0' }, PAGE_SIZE);
  const nodes = await findCreatedNodes(call.api.services.database, found.id, { limit, offset });
  const [page, pages] = [offset / PAGE_SIZE, Math.ceil(found.nodes / PAGE_SIZE)];
  return formAnswer(finishedImportPage({ import: found, nodes, page, pages }, call.site));
}

async function confirm(call: Call): Promise<Response> {
  return formAnswer(deleteImportPage(await findVisible(call), call));
}

async function remove(call: Call): Promise<Response> {
  const { api, actor } = call;
  const { database } = api.services;
  const found = await findVisible(call);
  await requireFewRuns(database, actor);
  const run = await deleteImport(database, actor, found);
  api.bulk.wake();
  return seeOther(call, pathOf('bulkRun', { run }));
}
