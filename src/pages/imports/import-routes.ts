import { type Static, Type as t } from '@sinclair/typebox';
import { ServiceError } from '../../base/errors.ts';
import { closed, integerOrNull, oneOf } from '../../field-types/schemas.ts';
import { pathOf, paths } from '../../paths.ts';
import { nodeAccess } from '../../repository/access.ts';
import { isUnderWay, type TableUpload } from '../../transfer/table-uploads/table-upload.ts';
import { listTableUploads, removeTableUpload, requestStop } from '../../transfer/table-uploads/table-upload-store.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { type Rules, resource } from '../../web/check.ts';
import { FORM_HEADERS, formAnswer, seeOther } from '../../web/form-answer.ts';
import { PAGE_AND_JSON_FORMATS, PAGE_FORMATS } from '../../web/formats.ts';
import { namedSchema } from '../../web/openapi/components.ts';
import { describe, JSON_TYPE, PAGE_CONTENT } from '../../web/openapi/describe.ts';
import { id } from '../../web/parameters.ts';
import { json, VARY_BY_ACCEPT } from '../../web/respond.ts';
import { defineAdminPage } from '../admin/define-admin-page.ts';
import type { FormProblem } from '../forms/error-summary.tsx';
import { findOwn, requireHere } from './find-own-import.ts';
import { importAccess } from './import-access.ts';
import { importDownloadRoutes } from './import-download-routes.ts';
import { secondsLeftOf } from './import-words.ts';
import { optionFields, readOptions } from './read-options.ts';
import { check, receiveFiles, receiveTable, start } from './receive-import.ts';
import { gatherImport } from './table-import-data.ts';
import { tableImportPage } from './table-import-page.tsx';
import { tableImportsPage } from './table-imports-page.tsx';

const params = t.Object({ table_import: id('The id of the uploaded table.') });
const action = t.Object({
  act: t.Union(['check', 'start', 'stop', 'remove'].map((act) => t.Literal(act))),
  ...optionFields,
});

/** The pages on which tables are imported in a browser. */
export const tableImportsAdminPage = defineAdminPage({
  path: paths.tableImports,
  label: 'Import a table',
  description: 'Items and their files from a table, or changes of many items, checked before anything is written.',
  permission: importAccess,
  routes: (api, access) => importRoutes(api, access).use(importDownloadRoutes(api, access)),
});

function importRoutes(api: ApiServices, access: (call: Call) => void) {
  const rules: Rules = { formats: PAGE_FORMATS, access };
  return resource(api)
    .get(paths.tableImports, ({ call }) => listPage(call), {
      check: rules,
    })
    .post(
      paths.tableImports,
      async ({ call }) => {
        const answer = await receiveTable(call);
        return answer instanceof Response ? answer : listPage(call, answer);
      },
      {
        parse: 'none',
        check: { ...rules, form: 'files' },
      },
    )
    .get(
      paths.tableImport,
      async ({ call }) => {
        const upload = await findOwn(call);
        if (call.format !== 'json') return importPage(call, upload);
        const headers: Record<string, string> = call.isNegotiated ? { Vary: VARY_BY_ACCEPT } : {};
        return json(progressJson(upload, api.services.now()), 200, headers);
      },
      {
        check: { ...rules, formats: PAGE_AND_JSON_FORMATS },
        params,
        detail: describe({
          operationId: 'getTableImport',
          tag: 'pages',
          summary: 'Show an uploaded table: the report of its check, and how far its import is',
          isForAnyone: false,
          responses: {
            200: {
              description: 'The page, or the state as JSON.',
              headers: FORM_HEADERS,
              content: { ...PAGE_CONTENT, [JSON_TYPE]: progressSchema },
            },
          },
          failures: [403, 404],
        }),
      },
    )
    .post(paths.tableImport, async ({ call, body }) => act(call, await findOwn(call), body), {
      check: { ...rules, form: 'signed' },
      params,
      body: action,
    })
    .post(
      paths.tableImportFiles,
      async ({ call }) => {
        const upload = await findOwn(call);
        if (isUnderWay(upload)) throw new ServiceError('conflict', 'The table is being checked or imported.');
        await requireHere(call, upload);
        const answer = await receiveFiles(call, upload);
        return answer instanceof Response ? answer : importPage(call, upload, answer);
      },
      {
        parse: 'none',
        check: { ...rules, form: 'files' },
        params,
      },
    );
}

async function listPage(call: Call, errors: readonly FormProblem[] = []): Promise<Response> {
  const { api, actor, site, formToken } = call;
  const { services, maxUploadBytes: maxFileBytes } = api;
  const imports = await listTableUploads(services.database, actor.id);
  const contentTypes = [...services.model.nodeTypes.values()]
    .filter(({ name }) => nodeAccess.create(actor, name).isAllowed)
    .map(({ name, label }) => ({ value: name, label }));
  return formAnswer(
    tableImportsPage({ imports, now: services.now(), maxFileBytes, contentTypes, errors, formToken }, site),
    errors.length > 0 ? 422 : 200,
  );
}

async function importPage(call: Call, upload: TableUpload, errors: readonly FormProblem[] = []): Promise<Response> {
  const data = await gatherImport(call, upload, errors);
  return formAnswer(tableImportPage(data, call.site), errors.length > 0 ? 422 : 200);
}

async function act(call: Call, upload: TableUpload, form: Static<typeof action>): Promise<Response> {
  const { services, tableUploadFolders } = call.api;
  const { id } = upload;
  if (['check', 'start'].includes(form.act) && upload.state !== 'done') await requireHere(call, upload);
  if (form.act === 'check') {
    const { options, errors } = readOptions(form);
    if (errors.length > 0) return importPage(call, { ...upload, options }, errors);
    await check(call, upload, options);
    return seeOther(call, pathOf('tableImport', { table_import: id }));
  }
  if (form.act === 'start') {
    requireChecked(upload);
    const { errors } = readOptions({ aim: upload.options.changes?.type, reason: form.reason });
    return errors.length > 0 ? importPage(call, upload, errors) : start(call, upload, form.reason?.trim());
  }
  if (form.act === 'stop') {
    await requestStop(services.database, id);
    return seeOther(
      call,
      pathOf('tableImport', { table_import: id }),
      'The work stops after the rows that have begun.',
    );
  }
  if (!(await removeTableUpload(services.database, upload)))
    throw new ServiceError('conflict', 'The table is being checked or imported. Stop that first.');
  await tableUploadFolders.remove(upload.folder);
  return seeOther(call, paths.tableImports, `${upload.fileName} was removed.`);
}

/** Throws `conflict` for a table without a check that found no problem. */
function requireChecked({ report }: TableUpload): void {
  if (report === undefined || report.problemCount > 0)
    throw new ServiceError('conflict', 'The table has problems, or was not checked. Check it first.');
  if (report.changes?.items === 0) throw new ServiceError('conflict', 'The table changes nothing.');
  if (report.importedAt !== undefined)
    throw new ServiceError('conflict', 'This table was imported before. Choose to import it again, and check it.');
}

const STATES = ['checking', 'checked', 'importing', 'stopped', 'failed', 'done', 'interrupted'] as const;
const count = t.Integer({ minimum: 0 });

/** The state of an uploaded table, for programs. */
const progressSchema = namedSchema(
  'TableImport',
  closed({
    state: oneOf(STATES),
    part: t.Number({ minimum: 0, maximum: 1, description: 'The part of the work that is done.' }),
    rows: count,
    total_rows: { ...integerOrNull, description: 'Null while the table is read for the first time.' },
    nodes: count,
    files: count,
    bytes: count,
    terms: count,
    seconds_left: { ...integerOrNull, description: 'Null while it is not known.' },
    problems: { ...integerOrNull, description: 'The number of problems of the last check. Null without one.' },
  }),
);

/** Returns the state of an uploaded table as JSON text. */
function progressJson({ state, progress, report }: TableUpload, now: number): string {
  const { part = 0, rows = 0, totalRows, nodes = 0, files = 0, bytes = 0, terms = 0 } = progress ?? {};
  const body: Static<typeof progressSchema> = {
    ...{ state, part, rows, total_rows: totalRows ?? null, nodes, files, bytes, terms },
    seconds_left: (progress && secondsLeftOf(progress, now)) ?? null,
    problems: report?.problemCount ?? null,
  };
  return JSON.stringify(body);
}
