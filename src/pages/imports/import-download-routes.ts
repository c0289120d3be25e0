import { Type as t } from '@sinclair/typebox';
import { stringify } from 'csv-stringify/sync';
import { ServiceError } from '../../base/errors.ts';
import { paths } from '../../paths.ts';
import { nodeAccess } from '../../repository/access.ts';
import { spreadsheetCell } from '../../transfer/table/spreadsheet-cell.ts';
import { USUAL_TABLE_OPTIONS } from '../../transfer/table/table-options.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import type { Rules } from '../../web/check.ts';
import { resource } from '../../web/check.ts';
import { describe } from '../../web/openapi/describe.ts';
import { id } from '../../web/parameters.ts';
import { findOwn, otherServer } from './find-own-import.ts';

const CSV_TYPE = 'text/csv';
const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const params = t.Object({ table_import: id('The id of the uploaded table.') });
const COLUMNS = ['row', 'line', 'column', 'problem'];

/** Routes of the tables that an import writes: its problems, and its results. */
export function importDownloadRoutes(api: ApiServices, access: (call: Call) => void) {
  const rules: Rules = {
    formats: 'single',
    access,
  };
  const described = (operationId: string, summary: string, type = CSV_TYPE) =>
    describe({
      operationId,
      tag: 'pages',
      summary,
      isForAnyone: false,
      responses: {
        200: {
          description: 'A table.',
          headers: ['Cache-Control', 'Content-Disposition', 'X-Content-Type-Options'],
          content: { [type]: t.String() },
        },
      },
      failures: [403, 404],
    });
  return resource(api)
    .get(paths.tableTemplate, ({ call, query }) => template(call, query.content_type), {
      check: rules,
      query: t.Object({
        content_type: t.Optional(
          t.String({ description: 'The content type of the items (default: `islandora_object`).' }),
        ),
      }),
      detail: described('downloadTableTemplate', 'Download an empty table with a column for each field', XLSX_TYPE),
    })
    .get(paths.tableImportProblems, ({ call }) => problems(call), {
      check: rules,
      params,
      detail: described('downloadTableProblems', 'Download the problems of an uploaded table'),
    })
    .get(paths.tableImportResult, ({ call }) => results(call), {
      check: rules,
      params,
      detail: described('downloadTableResult', 'Download the result of each row of an import'),
    });
}

async function problems(call: Call): Promise<Response> {
  const { report } = await findOwn(call);
  if (report === undefined) throw new ServiceError('not-found', 'The table was not checked yet.');
  const rows = report.problems.map(({ row, line, column, message }) => [row, line, column, message].map(cellOf));
  return csv(stringify([COLUMNS, ...rows]), 'problems.csv');
}

function cellOf(value: string | number | undefined): string {
  return typeof value === 'string' ? spreadsheetCell(value) : String(value ?? '');
}

async function results(call: Call): Promise<Response> {
  const upload = await findOwn(call);
  const file = await call.api.tableUploadFolders.findResult(upload.folder);
  const server = otherServer(upload);
  if (file === undefined)
    throw new ServiceError(
      'not-found',
      server === undefined
        ? 'There is no table of results: the import has not ended, or it is on another server.'
        : `The table of results is on the server ${server}, once the import has ended.`,
    );
  return csv(file, 'result.csv');
}

async function template(call: Call, name = USUAL_TABLE_OPTIONS.contentType): Promise<Response> {
  const { api, actor } = call;
  const type = api.services.model.nodeTypes.get(name);
  if (type === undefined || !nodeAccess.create(actor, name).isAllowed)
    throw new ServiceError('not-found', 'There is no such content type, or you may not create its items.');
  const file = `${name}.xlsx`;
  // The writer of workbooks is needed rarely.
  const { tableTemplate } = await import('../../transfer/export/table-template.ts');
  const bytes = await Array.fromAsync(
    await tableTemplate({ services: api.services, kinds: api.kinds, actor }, type, file),
  );
  return download(Buffer.concat(bytes), file, XLSX_TYPE);
}

function csv(body: string | Bun.BunFile, name: string): Response {
  return download(body, name, `${CSV_TYPE}; charset=utf-8`);
}

function download(body: string | Bun.BunFile | Buffer, name: string, type: string): Response {
  return new Response(body as BodyInit, {
    headers: {
      'Content-Type': type,
      'Content-Disposition': `attachment; filename="${name}"`,
      'Cache-Control': 'no-store, private',
      'X-Content-Type-Options': 'nosniff',
    },
  });
}
