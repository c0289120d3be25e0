import { describe, expect, it } from 'bun:test';
import { jsx } from '../../../../src/base/markup/jsx-runtime.ts';
import { ImportReport } from '../../../../src/pages/imports/import-report.tsx';
import type { TableImportData } from '../../../../src/pages/imports/table-import-data.ts';
import type { TableUploadReport, TableUploadState } from '../../../../src/transfer/table-uploads/table-upload.ts';
import { elementsOf } from '../../../support/page.ts';

const REPORT: TableUploadReport = {
  ...{ rows: 2, problems: [], problemCount: 0, newTerms: [], listedTerms: [], files: { count: 0, bytes: 0 } },
  ...{ unnamed: [], unnamedCount: 0, empty: [], importedAt: undefined, isBegun: false },
};
const reportOf = (state: TableUploadState, report: Partial<TableUploadReport> = {}, isHere = true) => {
  const data: Partial<TableImportData> = { id: 1, state, report: { ...REPORT, ...report }, formToken: 't', isHere };
  return jsx(ImportReport, { data: data as TableImportData, root: '' }).html;
};
const buttons = (html: string) => elementsOf(html, 'button').map(({ text }) => text);

describe('the report of a checked table', () => {
  it.each([
    ['checked', false, 'Start the import'],
    ['checked', true, 'Continue the import'],
    ['stopped', false, 'Continue the import'],
    ['interrupted', true, 'Continue the import'],
  ] as const)('that is %s has the button of its next step', (state, isBegun, label) => {
    expect(buttons(reportOf(state, { isBegun }))).toEqual([label]);
  });

  it('says that loaded rows stay if the import has begun', () => {
    const note = 'Rows that are already loaded are not loaded again.';
    expect(reportOf('checked')).not.toContain(note);
    expect(reportOf('checked', { isBegun: true })).toContain(note);
    expect(reportOf('failed')).toContain(note);
  });

  it('has no button on another server', () => {
    expect(buttons(reportOf('checked', {}, false))).toEqual([]);
  });
});
