import type { Actor } from '../../repository/actor.ts';
import type { ContentKinds } from '../../repository/content/kinds.ts';
import type { Services } from '../../repository/content/services.ts';
import type { Downloads } from '../files/downloads.ts';
import type { OptionWords } from './option-words.ts';

/** The repository that an import or export runs on, and the user on whose behalf. */
export interface LoadContext {
  readonly services: Services;
  readonly kinds: ContentKinds;
  readonly actor: Actor;
}

/** The format of a table. */
export interface TableForm {
  /** The character between cells. */
  readonly delimiter: string;
  /** The name of the sheet of a spreadsheet (default: the first visible one). */
  readonly sheet?: string | undefined;
  /** The names of the options in messages (default: those of `repo import`). */
  readonly words?: OptionWords | undefined;
}

/** The interpretation of the cells of a table. */
export interface TableOptions extends TableForm {
  /** The text between values of a cell. */
  readonly subdelimiter: string;
  /** The content type of rows without one. */
  readonly contentType: string;
  /** The folder with the files of rows. */
  readonly files: string | undefined;
  /** The files that tables may name by their addresses. Undefined: none. */
  readonly downloads?: Downloads | undefined;
  /** False if no missing term is created. */
  readonly newTerms: boolean;
  /** The vocabularies in which missing terms are created for every field, not only where a field has `auto_create`. */
  readonly createTerms: readonly string[];
  /** The format of formatted texts; undefined for the fallback. */
  readonly textFormat: string | undefined;
  /** Columns of files to the term of `islandora_media_use` for each: its name, id or URI. */
  readonly additionalFiles: ReadonlyMap<string, string>;
}

export const USUAL_TABLE_OPTIONS: TableOptions = {
  delimiter: ',',
  subdelimiter: '|',
  contentType: 'islandora_object',
  files: undefined,
  newTerms: true,
  createTerms: [],
  textFormat: undefined,
  additionalFiles: new Map(),
};
