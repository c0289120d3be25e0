import { paths } from '../paths.ts';

/** Returns the path of an uploaded table, or of a part of it. */
export function tableImportPath(id: number, part?: 'files' | 'problems.csv' | 'result.csv'): string {
  return `${paths.tableImports}/${id}${part === undefined ? '' : `/${part}`}`;
}
