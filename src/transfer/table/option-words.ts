import type { LinkedType } from '../../repository/access-rule.ts';

/** The names of the options of a table, for the advice of messages. */
export interface OptionWords {
  /** The advice to create missing terms of a vocabulary: `add --create-terms person`. */
  readonly createTerms: (vocabulary: string) => string;
  /** The option that forbids new terms, at the beginning of a sentence. */
  readonly noNewTerms: string;
  /** The advice to choose the character between cells. */
  readonly delimiter: (character: string) => string;
  readonly subdelimiter: string;
  readonly additionalFiles: string;
  /** The advice to load the files that a column names, without a full stop. */
  readonly filesOf: (column: string) => string;
  /** The reason for a missing file that the table names, at the end of a sentence. */
  readonly missingFile: string;
  /** The advice to change content of a kind instead: `add --update --type media`. */
  readonly changes: (type: LinkedType) => string;
  /** The advice to change what others have changed since the export. */
  readonly overwrite: string;
  /** The advice to name the rows of a table of changes by a field. */
  readonly keyColumn: string;
}

const CHANGE_OPTIONS: Readonly<Record<LinkedType, string>> = {
  node: '--update',
  media: '--update --type media',
  taxonomy_term: '--update --type term',
};

/** The choices of the page of imports for tables of changes, by the kind of content. */
export const CHANGE_LABELS: Readonly<Record<LinkedType, string>> = {
  node: 'Change items',
  media: 'Change media',
  taxonomy_term: 'Change terms',
};

/** The names of the options of `repo import`. */
export const COMMAND_WORDS: OptionWords = {
  createTerms: (vocabulary) => `add --create-terms ${vocabulary}`,
  noNewTerms: '--no-new-terms',
  delimiter: (character) => `--delimiter "${character === '\t' ? '\\t' : character}"`,
  subdelimiter: '--subdelimiter',
  additionalFiles: '--additional-files',
  filesOf: (column) => `add --additional-files ${column}=TERM`,
  missingFile: 'does not exist in the folder of files',
  changes: (type) => `add ${CHANGE_OPTIONS[type]}`,
  overwrite: 'add --overwrite',
  keyColumn: 'add --key COLUMN',
};

/** The names of the fields of the page of imports. */
export const PAGE_WORDS: OptionWords = {
  createTerms: (vocabulary) => `tick "${vocabulary}" under "New terms", and check again`,
  noNewTerms: 'The choice "Create no new terms"',
  delimiter: (character) => `the choice ${character === '\t' ? '"Tab"' : `"${character}"`} between cells`,
  subdelimiter: 'Text between values',
  additionalFiles: 'Columns of further files',
  filesOf: (column) => `write ${column}=TERM under "Columns of further files", and check again`,
  missingFile: 'was not uploaded',
  changes: (type) => `choose "${CHANGE_LABELS[type]}", and check again`,
  overwrite: 'choose to overwrite it, and check again',
  keyColumn: 'enter its name under "Column that names the rows", and check again',
};
