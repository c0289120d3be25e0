import type { Actor } from '../../repository/actor.ts';
import type { ContentKinds } from '../../repository/content/kinds.ts';
import type { Services } from '../../repository/content/services.ts';

/** What a table is checked against, and on whose behalf. */
export interface LoadContext {
  readonly services: Services;
  readonly kinds: ContentKinds;
  readonly actor: Actor;
}

/** How a table is written. */
export interface TableForm {
  /** Between cells: one character. */
  readonly delimiter: string;
}

/** How the cells of a table are understood. */
export interface TableOptions extends TableForm {
  /** Between the values of a cell. */
  readonly subdelimiter: string;
  /** The content type of rows that name none. */
  readonly contentType: string;
  /** The folder that the files of rows are in. */
  readonly files: string | undefined;
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
