import { basename } from 'node:path';
import type { FinishedImport, PreparedImport } from '../import/prepare-import.ts';
import type { RowPlan, TableProblem } from '../table/row-plan.ts';
import type { TableUploadReport } from './table-upload.ts';
import type { UploadedFile } from './table-upload-folders.ts';

const MAX_NAMES = 100;

/** Collects the files that rows name. */
export class NamedFiles {
  readonly #names = new Set<string>();

  add({ files }: Pick<RowPlan, 'files'>): void {
    for (const { source } of files) if ('path' in source) this.#names.add(basename(source.path));
  }

  /** Returns the names of the uploaded files that no row has named. */
  missingOf(uploaded: readonly UploadedFile[]): string[] {
    return uploaded.map(({ name }) => name).filter((name) => !this.#names.has(name));
  }
}

/** Returns the report of a check. `folder` is the path of the upload, which no message may show. */
export function reportOf(
  prepared: PreparedImport | FinishedImport,
  uploaded: readonly UploadedFile[],
  named: NamedFiles,
  folder: string,
): TableUploadReport {
  const empty = uploaded.filter(({ bytes }) => bytes === 0).map(({ name }) => name);
  const none = { problems: [], problemCount: 0, newTerms: [], listedTerms: [], files: { count: 0, bytes: 0 } };
  const ofFiles = { empty: empty.slice(0, MAX_NAMES) };
  if ('finished' in prepared) {
    const { rows, startedAt, endedAt = startedAt } = prepared.finished;
    return { ...none, ...ofFiles, rows, unnamed: [], unnamedCount: 0, importedAt: endedAt, isBegun: false };
  }
  const { check, problems, problemCount, state } = prepared;
  // Rows with problems and loaded rows have no plan, which would name their files.
  const isWhole = problemCount === 0 && state.kind === 'new';
  const unnamed = isWhole ? named.missingOf(uploaded) : [];
  return {
    ...ofFiles,
    rows: check.rows,
    problems: problems.map((problem) => withoutPath(problem, folder)),
    problemCount,
    newTerms: [...check.newTerms],
    listedTerms: check.listedTerms.map(({ vocabulary, name, line }) => ({ vocabulary, name, line })),
    files: check.files,
    unnamed: unnamed.slice(0, MAX_NAMES),
    unnamedCount: unnamed.length,
    importedAt: undefined,
    isBegun: state.kind === 'unfinished',
  };
}

/** Returns a problem whose message does not show where the server keeps uploads. */
export function withoutPath(problem: TableProblem, folder: string): TableProblem {
  return { ...problem, message: problem.message.replaceAll(`${folder}/files/`, '').replaceAll(`${folder}/`, '') };
}
