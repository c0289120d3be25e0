import { type Static, Type as t } from '@sinclair/typebox';
import { ServiceError } from '../../base/errors.ts';
import { pathOf, paths } from '../../paths.ts';
import { isUnderWay, type TableUpload } from '../../transfer/table-uploads/table-upload.ts';
import { listTableUploads, removeTableUpload, requestStop } from '../../transfer/table-uploads/table-upload-store.ts';
import { beginImport } from '../../transfer/table-uploads/work-on-table-upload.ts';
import type { ApiServices } from '../api-services.ts';
import type { Call } from '../call.ts';
import { type Rules, resource } from '../check.ts';
import { type Formats, PAGE_FORMATS } from '../formats.ts';
import { FORM_HEADERS, formPage, seeOther } from '../forms/form-answer.ts';
import { describe, HIDDEN, JSON_TYPE, PAGE_CONTENT } from '../openapi/describe.ts';
import { id } from '../parameters.ts';
import { json, VARY_BY_ACCEPT } from '../respond.ts';
import { allowImports, findOwn, requireHere } from './find-own-import.ts';
import { gatherImport, importRow } from './gather-import.ts';
import { progressJson, progressSchema } from './progress-json.ts';
import { optionFields, readOptions } from './read-options.ts';
import { check, type FormProblem, receiveFiles, receiveTable, tableUploadWork } from './receive-import.ts';

const FORMATS: Formats = { ...PAGE_FORMATS, json: JSON_TYPE };
const params = t.Object({ table_import: id('The id of the uploaded table.') });
const action = t.Object({
  act: t.Union(['check', 'start', 'stop', 'remove'].map((act) => t.Literal(act))),
  ...optionFields,
});
const shown = { 200: { description: 'The page.', headers: FORM_HEADERS, content: PAGE_CONTENT } };

/** Routes of the import of tables in a browser. */
export function importRoutes(api: ApiServices) {
  const rules: Rules = { formats: PAGE_FORMATS, access: allowImports };
  return resource(api)
    .get(paths.tableImports, ({ call }) => listPage(call), {
      check: rules,
      detail: describe({
        operationId: 'getTableImportsPage',
        tag: 'pages',
        summary: 'Show the form for a table, and the uploaded tables of the caller',
        isForAnyone: false,
        responses: shown,
        failures: [403],
      }),
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
        detail: HIDDEN,
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
        check: { ...rules, formats: FORMATS },
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
      detail: HIDDEN,
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
        detail: HIDDEN,
      },
    );
}

async function listPage(call: Call, errors: readonly FormProblem[] = []): Promise<Response> {
  const { api, actor, site, formToken } = call;
  const { services, pages, maxUploadBytes: maxFileBytes } = api;
  const uploads = await listTableUploads(services.database, actor.id);
  const imports = uploads.map((upload) => importRow(upload, services.now()));
  return formPage(
    pages.tableImports({ imports, maxFileBytes, errors, formToken }, site),
    errors.length > 0 ? 422 : 200,
  );
}

async function importPage(call: Call, upload: TableUpload, errors: readonly FormProblem[] = []): Promise<Response> {
  const data = await gatherImport(call, upload, errors);
  return formPage(call.api.pages.tableImport(data, call.site), errors.length > 0 ? 422 : 200);
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
    await beginImport(tableUploadWork(call), call.actor, upload, call.baseUrl);
    return seeOther(call, pathOf('tableImport', { table_import: id }));
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
  if (report.importedAt !== undefined)
    throw new ServiceError('conflict', 'This table was imported before. Choose to import it again, and check it.');
}
