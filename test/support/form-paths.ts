import { paths } from '../../src/paths.ts';

/** The paths whose POST is the form of a page. The description of the API leaves it out: no program sends it. */
export const FORM_PATHS: readonly string[] = [
  paths.nodeAddForm,
  paths.nodeEdit,
  paths.nodeDelete,
  paths.mediaEdit,
  paths.mediaDelete,
  paths.termAddForm,
  paths.termEdit,
  paths.termDelete,
  paths.vocabularyTerms,
  paths.userEdit,
  paths.userCancel,
  paths.userSessions,
  paths.userResetLink,
  paths.userAdd,
  paths.password,
  paths.passwordRequest,
  paths.passwordReset,
  paths.coreSettings,
  paths.derivatives,
  paths.fixity,
  paths.tableImports,
  paths.tableImport,
  paths.tableImportFiles,
];
