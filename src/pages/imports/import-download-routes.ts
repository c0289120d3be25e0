import { Type as t } from '@sinclair/typebox';
import { stringify } from 'csv-stringify/sync';
import { ServiceError } from '../../base/errors.ts';
import { paths } from '../../paths.ts';
import { spreadsheetCell } from '../../transfer/table/spreadsheet-cell.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import type { Rules } from '../../web/check.ts';
import { resource } from '../../web/check.ts';
import { describe } from '../../web/openapi/describe.ts';
import { id } from '../../web/parameters.ts';
import { findOwn, otherServer } from './find-own-import.ts';

const CSV_TYPE = 'text/csv';
const params = t.Object({ table_import: id('The id of the uploaded table.') });
const COLUMNS = ['row', 'line', 'column', 'problem'];

/** Routes of the tables that an import writes: its problems, and its results. */
export function importDownloadRoutes(api: ApiServices, access: (call: Call) => void) {
  const rules: Rules = {
    formats: 'single',
    access,
  };
  const described = (operationId: string, summary: string) =>
    describe({
      operationId,
      tag: 'pages',
      summary,
      isForAnyone: false,
      responses: {
        200: {
          description: 'A table in UTF-8.',
          headers: ['Cache-Control', 'Content-Disposition', 'X-Content-Type-Options'],
          content: { [CSV_TYPE]: t.String() },
        },
      },
      failures: [403, 404],
    });
  return resource(api)
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

function csv(body: string | Bun.BunFile, name: string): Response {
  return new Response(body, {
    headers: {
      'Content-Type': `${CSV_TYPE}; charset=utf-8`,
      'Content-Disposition': `attachment; filename="${name}"`,
      'Cache-Control': 'no-store, private',
      'X-Content-Type-Options': 'nosniff',
    },
  });
}
