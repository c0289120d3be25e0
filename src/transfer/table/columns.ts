import { nearest } from '../../base/nearest.ts';
import { oneOf } from '../../field-types/cell.ts';
import type { FieldDefinition, NodeType } from '../../model/content-model.ts';
import { refusedChange } from '../../repository/content/base-field.ts';
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
export const MEMBER_OF = 'field_member_of';

/** Columns that set a base field of the node under another name, or its own. */
const BASE_FIELDS: ReadonlyMap<string, string> = new Map([
  ['title', 'title'],
  ['published', 'status'],
  ['promote', 'promote'],
  ['sticky', 'sticky'],
  ['created', 'created'],
  ['uid', 'uid'],
  ['langcode', 'langcode'],
  ['url_alias', 'path'],
]);
const COLUMN_OF_BASE = new Map([...BASE_FIELDS].map(([column, field]) => [field, column]));
const OWN_COLUMNS = [ID, PARENT, CONTENT_TYPE, FILE, ADDITIONAL_FILES, MEDIA_USE, ALT_TEXT, CHECKSUM];
/** Columns that other tables have, or that are called otherwise here. */
const EXPLAINED: Readonly<Record<string, string>> = {
  node_id: 'It is for tables that change nodes; an import makes new ones. Leave it out.',
  media_id: 'It is for tables that change media; an import makes new ones. Leave it out.',
  term_name: 'It is for tables of terms; an import makes nodes.',
  status: 'The column is called published.',
  path: 'The column is called url_alias.',
  type: 'The column is called content_type.',
  directory: 'Pages out of a folder are not made: give each page a row with its file and parent_id.',
};

/** Such as the zero-width blanks that come along when a name is copied from a page. */
const UNSEEN = /[\p{Cc}\p{Cf}]/u;

/** What the columns of a table mean. */
export interface Columns {
  /** Column to the base field of nodes that it sets. */
  readonly base: ReadonlyMap<string, FieldDefinition>;
  /** Columns that are named as a field of a content type. */
  readonly fields: ReadonlySet<string>;
  /** Columns of files to the term that says what use they are of. */
  readonly uses: ReadonlyMap<string, string>;
  /** Columns that say nothing of the node itself. */
  readonly ofFiles: ReadonlySet<string>;
  readonly all: ReadonlySet<string>;
}

/** The column in which a field of a node is told. */
export function columnOf(field: string): string {
  return COLUMN_OF_BASE.get(field) ?? field;
}

/** Understands the header of a table; columns that are not understood are problems, and in none of the sets. */
export function readColumns(
  { services, kinds, actor }: LoadContext,
  header: readonly string[],
  { contentType, additionalFiles }: TableOptions,
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
    // Of a content type that there is not, nobody knows the fields.
    else if (types.length > 0 && !OWN_COLUMNS.includes(name) && !additionalFiles.has(name)) {
      problems.push(tableProblem(whyUnknown(name, types, additionalFiles), name));
    }
  }
  for (const name of [ID, 'title'])
    if (!all.has(name)) problems.push(tableProblem('The table has no such column.', name));
  for (const name of additionalFiles.keys()) {
    const ofOne = name.replace(/ \d+$/, '');
    const isOther = base.has(name) || fields.has(name) || OWN_COLUMNS.includes(name);
    if (isOther) problems.push(tableProblem('--additional-files names it, and it means something else.', name));
    else if (ofOne !== name && (additionalFiles.has(ofOne) || ofOne === ADDITIONAL_FILES))
      // The journal calls the files of a cell after their column and place.
      problems.push(tableProblem(`It is what a file of the column ${ofOne} is called; give it another name.`, name));
    else if (!all.has(name))
      problems.push(tableProblem('--additional-files names it, and the table has no such column.', name));
  }
  const ofFiles = new Set([FILE, ADDITIONAL_FILES, MEDIA_USE, ALT_TEXT, CHECKSUM, ...additionalFiles.keys()]);
  return { columns: { base, fields, uses: additionalFiles, ofFiles, all }, problems };
}

/** Required fields that no row of a table can fill, as problems of the table; by type they hold for rows of that type. */
export function missingColumns({ fields }: NodeType, all: ReadonlySet<string>): TableProblem[] {
  return fields
    .filter(({ name, required, defaultValue }) => required && defaultValue.length === 0 && !all.has(name))
    .map(({ name, label }) =>
      tableProblem(`The field "${label}" is required, and the table has no such column.`, name),
    );
}

function whyUnknown(name: string, types: readonly NodeType[], uses: ReadonlyMap<string, string>): string {
  const other = EXPLAINED[name];
  if (other !== undefined) return other;
  const [unseen] = UNSEEN.exec(name) ?? [];
  if (unseen !== undefined) return `Its name has a character that cannot be seen, ${codePoint(unseen)}: type it anew.`;
  const fields = types.flatMap((type) => type.fields);
  const labelled = fields.find(({ label }) => label.toLowerCase() === name.toLowerCase());
  if (labelled) return `That is the label of ${labelled.name}: columns have the names of fields.`;
  const known = [...OWN_COLUMNS, ...BASE_FIELDS.keys(), ...uses.keys(), ...fields.map((field) => field.name)];
  const guess = nearest(name, known);
  if (guess !== undefined) return `No column is called so; did you mean ${guess}?`;
  return `No column is called so, and there is no field of that name in ${oneOf(types.map((type) => type.name))}.`;
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function isThere<T>(value: T | undefined): value is T {
  return value !== undefined;
}
