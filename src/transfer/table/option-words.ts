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
  /** The reason for a missing file that the table names, at the end of a sentence. */
  readonly missingFile: string;
}

/** The names of the options of `repo import`. */
export const COMMAND_WORDS: OptionWords = {
  createTerms: (vocabulary) => `add --create-terms ${vocabulary}`,
  noNewTerms: '--no-new-terms',
  delimiter: (character) => `--delimiter "${character === '\t' ? '\\t' : character}"`,
  subdelimiter: '--subdelimiter',
  additionalFiles: '--additional-files',
  missingFile: 'does not exist in the folder of files',
};

/** The names of the fields of the page of imports. */
export const PAGE_WORDS: OptionWords = {
  createTerms: (vocabulary) => `tick "${vocabulary}" under "New terms", and check again`,
  noNewTerms: 'The choice "Create no new terms"',
  delimiter: (character) => `the choice ${character === '\t' ? '"Tab"' : `"${character}"`} between cells`,
  subdelimiter: 'Text between values',
  additionalFiles: 'Columns of further files',
  missingFile: 'was not uploaded',
};
