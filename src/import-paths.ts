/** The templates of the paths of tables: their imports, and those of changes. */
export const importPaths = {
  tableImports: '/admin/content/import',
  tableTemplate: '/admin/content/import/template.xlsx',
  tableImport: '/admin/content/import/:table_import',
  tableImportFiles: '/admin/content/import/:table_import/files',
  tableImportProblems: '/admin/content/import/:table_import/problems.csv',
  tableImportResult: '/admin/content/import/:table_import/result.csv',
  imports: '/admin/imports',
  import: '/admin/imports/:import',
  importDelete: '/admin/imports/:import/delete',
  changesTable: '/admin/content/changes.csv',
} as const;
