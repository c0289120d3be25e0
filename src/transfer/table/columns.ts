import { nearest } from '../../base/nearest.ts';
import { oneOf } from '../../field-types/cell.ts';
import type { FieldDefinition, NodeType } from '../../model/content-model.ts';
import { ACCESS_RULE } from '../../repository/access/rule-items.ts';
import type { LinkedType } from '../../repository/access-rule.ts';
import { refusedChange } from '../../repository/content/base-field.ts';
import { COMMAND_WORDS, type OptionWords } from './option-words.ts';
import type { TableProblem } from './row-plan.ts';
import { tableProblem } from './row-plan.ts';
import type { LoadContext, TableOptions } from './table-options.ts';

export const ID = 'id';
export const PARENT = 'parent_id';
export const CONTENT_TYPE = 'content_type';
export const FILE = 'file';
export const ADDITIONAL_FILES = 'additional_files';
export const MEDIA_USE = 'media_use_tid';
export const ALT_TEXT = 'image_alt_text';
export const CHECKSUM = 'checksum';

/** The column with the ids of each kind of content. */
export const ID_COLUMN: Readonly<Record<LinkedType, string>> = {
  node: 'node_id',
  media: 'media_id',
  taxonomy_term: 'term_id',
};
export const UUID = 'uuid';
/** The column with the fingerprints that an export wrote. */
export const REVISION = 'revision';

/** Columns that set a base field of the node, and the name of that field. */
const BASE_FIELDS: ReadonlyMap<string, string> = new Map([
  ['title', 'title'],
  ['published', 'status'],
  ['promote', 'promote'],
  ['sticky', 'sticky'],
  ['created', 'created'],
  ['uid', 'uid'],
  ['langcode', 'langcode'],
  ['url_alias', 'path'],
  [ACCESS_RULE, ACCESS_RULE],
]);
const COLUMN_OF_BASE = new Map([...BASE_FIELDS].map(([column, field]) => [field, column]));
const OWN_COLUMNS = [ID, PARENT, CONTENT_TYPE, FILE, ADDITIONAL_FILES, MEDIA_USE, ALT_TEXT, CHECKSUM];
/** A message, or one that names options. */
type Explanation = string | ((words: OptionWords) => string);

/** Messages for columns of other kinds of tables, and for columns with another name here. */
const EXPLAINED: ReadonlyMap<string, Explanation> = new Map<string, Explanation>([
  [
    'node_id',
    ({ changes }) => `This column is for tables that change nodes: ${changes('node')}, or remove it to create nodes.`,
  ],
  ['media_id', ({ changes }) => `This column is for tables that change media: ${changes('media')}.`],
  ['term_id', ({ changes }) => `This column is for tables that change terms: ${changes('taxonomy_term')}.`],
  ['revision', ({ changes }) => `This column is for tables of changes: ${changes('node')}, or remove it.`],
  [
    'term_name',
    'This column is for tables of terms; an import creates nodes, and the terms that they name. Write the names into a field of terms.',
  ],
  ['redirect_source', 'Redirects are no content. POST each to /entity/redirect.'],
  ['redirect_target', 'Redirects are no content. POST each to /entity/redirect.'],
  ['status', 'The name of this column is published.'],
  ['path', 'The name of this column is url_alias.'],
  ['type', 'The name of this column is content_type.'],
  ['directory', 'An import creates no pages from a folder. Write a row for each page, with its file and parent_id.'],
]);

/** Invisible characters, such as zero-width spaces in text copied from a web page. */
const INVISIBLE = /[\p{Cc}\p{Cf}]/u;

/** The meaning of the columns of a table. */
export interface Columns {
  /** The base fields of nodes, by the columns that set them. */
  readonly base: ReadonlyMap<string, FieldDefinition>;
  /** Columns with the name of a field of a content type. */
  readonly fields: ReadonlySet<string>;
  /** The terms of media use, by the columns of files. */
  readonly uses: ReadonlyMap<string, string>;
  /** Columns that describe files and not the node. */
  readonly ofFiles: ReadonlySet<string>;
  readonly all: ReadonlySet<string>;
}

/** Returns the column of a field. */
export function columnOf(field: string): string {
  return COLUMN_OF_BASE.get(field) ?? field;
}

const NO_ID =
  'The table lacks this column. It names each row: rename the column with that purpose, such as id_field of Islandora Workbench, or copy it.';

/** Interprets the header of a table. Unknown columns are problems, and in none of the sets. */
export function readColumns(
  { services, kinds, actor }: LoadContext,
  header: readonly string[],
  { contentType, additionalFiles, words = COMMAND_WORDS }: TableOptions,
): { columns: Columns; problems: TableProblem[] } {
  const all = new Set(header);
  const { nodeTypes } = services.model;
  const types = all.has(CONTENT_TYPE) ? [...nodeTypes.values()] : [nodeTypes.get(contentType)].filter(isThere);
  const base = new Map<string, FieldDefinition>();
  const fields = new Set<string>();
  const problems: TableProblem[] = [];
  for (const name of header) {
    const baseName = BASE_FIELDS.get(name);
    const baseField = baseName === undefined ? undefined : kinds.node.baseFieldNamed.get(baseName);
    if (baseField) {
      base.set(name, baseField.definition);
      const reason = refusedChange(baseField.create, actor);
      if (reason !== undefined) problems.push(tableProblem(`${actor.name} may not set it. ${reason}`.trim(), name));
    } else if (types.some(({ fieldNamed }) => fieldNamed.has(name))) fields.add(name);
    // Without a known content type, any other column may be a field.
    else if (types.length > 0 && !OWN_COLUMNS.includes(name) && !additionalFiles.has(name)) {
      problems.push(tableProblem(whyUnknown(name, types, additionalFiles, words), name));
    }
  }
  if (!all.has(ID)) problems.push(tableProblem(NO_ID, ID));
  if (!all.has('title')) problems.push(tableProblem('The table lacks this column.', 'title'));
  for (const name of additionalFiles.keys()) {
    const ofOne = name.replace(/ \d+$/, '');
    const isOther = base.has(name) || fields.has(name) || OWN_COLUMNS.includes(name);
    if (isOther)
      problems.push(tableProblem(`${words.additionalFiles} names this column, but it has another meaning.`, name));
    else if (ofOne !== name && (additionalFiles.has(ofOne) || ofOne === ADDITIONAL_FILES))
      // The journal names the files of a cell by their column and position.
      problems.push(
        tableProblem(`Rename this column: the journal uses the name for a file of the column ${ofOne}.`, name),
      );
    else if (!all.has(name))
      problems.push(tableProblem(`${words.additionalFiles} names this column, but the table lacks it.`, name));
  }
  const ofFiles = new Set([FILE, ADDITIONAL_FILES, MEDIA_USE, ALT_TEXT, CHECKSUM, ...additionalFiles.keys()]);
  return { columns: { base, fields, uses: additionalFiles, ofFiles, all }, problems };
}

/** Returns a problem of the table for each required field of a content type without a column. */
export function missingColumns({ fields }: NodeType, all: ReadonlySet<string>): TableProblem[] {
  return fields
    .filter(({ name, required, defaultValue }) => required && defaultValue.length === 0 && !all.has(name))
    .map(({ name, label }) => tableProblem(`The field "${label}" is required, but the table lacks its column.`, name));
}

function whyUnknown(
  name: string,
  types: readonly NodeType[],
  uses: ReadonlyMap<string, string>,
  words: OptionWords,
): string {
  const other = EXPLAINED.get(name);
  if (other !== undefined) return typeof other === 'string' ? other : other(words);
  const [invisible] = INVISIBLE.exec(name) ?? [];
  if (invisible !== undefined) return `Its name has the invisible character ${codePoint(invisible)}. Type it again.`;
  const fields = types.flatMap((type) => type.fields);
  const labelled = fields.find(({ label }) => label.toLowerCase() === name.toLowerCase());
  if (labelled) return `This is a label. Write the name of the field: ${labelled.name}.`;
  const known = [...OWN_COLUMNS, ...BASE_FIELDS.keys(), ...uses.keys(), ...fields.map((field) => field.name)];
  const guess = nearest(name, known);
  const reason =
    guess === undefined ? `: it is no field of ${oneOf(types.map((type) => type.name))}.` : `. Did you mean ${guess}?`;
  return `Unknown column${reason} For files, ${words.filesOf(name)}.`;
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function isThere<T>(value: T | undefined): value is T {
  return value !== undefined;
}
