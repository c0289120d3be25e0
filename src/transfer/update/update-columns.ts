import { nearest } from '../../base/nearest.ts';
import type { FieldTypes } from '../../field-types/field-type.ts';
import type { Bundle, FieldDefinition } from '../../model/content-model.ts';
import type { LinkedType } from '../../repository/access-rule.ts';
import type { ContentKind } from '../../repository/content/kinds.ts';
import { ID_COLUMN, REVISION, UUID } from '../table/columns.ts';
import type { OptionWords } from '../table/option-words.ts';
import { type TableProblem, tableProblem } from '../table/row-plan.ts';
import { explainColumn, whyNoChange, whyNoKey } from './explained-columns.ts';

/** The effect of a cell on the values of a field. */
export type CellMode = 'replace' | 'append' | 'remove';

/** Columns that set a base field, and the name of that field. */
const BASE_COLUMNS: Readonly<Record<LinkedType, Readonly<Record<string, string>>>> = {
  node: {
    ...{
      title: 'title',
      published: 'status',
      status: 'status',
      promote: 'promote',
      sticky: 'sticky',
      created: 'created',
      uid: 'uid',
    },
    ...{ langcode: 'langcode', url_alias: 'path', access_rule: 'access_rule' },
  },
  media: {
    name: 'name',
    published: 'status',
    status: 'status',
    created: 'created',
    uid: 'uid',
    langcode: 'langcode',
    url_alias: 'path',
  },
  taxonomy_term: {
    ...{ term_name: 'name', description: 'description', weight: 'weight', parent: 'parent' },
    ...{ published: 'status', status: 'status', langcode: 'langcode', url_alias: 'path' },
  },
};

/** The column with the type of each kind of content, which an update compares and never changes. */
export const TYPE_COLUMN: Readonly<Record<LinkedType, string>> = {
  node: 'content_type',
  media: 'media_type',
  taxonomy_term: 'vocabulary',
};

/** Columns that Islandora Workbench calls otherwise than their fields. */
const OTHER_NAMES: Readonly<Record<LinkedType, Readonly<Record<string, string>>>> = {
  node: {},
  media: { media_use_tid: 'field_media_use' },
  taxonomy_term: {},
};

/** A column that sets a field. Its definition is undefined in a bundle without the field. */
export interface FieldColumn {
  readonly column: string;
  readonly field: string;
  readonly mode: CellMode;
  readonly definitionIn: (bundle: Bundle) => FieldDefinition | undefined;
}

/** The column that names the content of a row. */
export interface KeyColumn {
  readonly column: string;
  /** The field whose values name it. Undefined for ids and UUIDs. */
  readonly field: string | undefined;
}

/** The meaning of the columns of a table of changes. */
export interface UpdateColumns {
  readonly key: KeyColumn;
  readonly fields: readonly FieldColumn[];
  readonly problems: readonly TableProblem[];
}

interface ColumnOptions {
  /** The modes of columns that do not replace. */
  readonly modes: ReadonlyMap<string, CellMode>;
  /** The column of a field that names the rows. */
  readonly key: string | undefined;
  readonly types: FieldTypes;
  readonly words: OptionWords;
}

/** Interprets the header of a table that changes content of a kind. */
export function readUpdateColumns(
  kind: ContentKind & { readonly type: LinkedType },
  header: readonly string[],
  { modes, key: chosen, types, words }: ColumnOptions,
): UpdateColumns {
  const { type, bundles, baseFieldNamed } = kind;
  const problems: TableProblem[] = [];
  const key = chosen ?? [ID_COLUMN[type], UUID].find((column) => header.includes(column));
  if (key === undefined) problems.push(tableProblem(whyNoKey(type, ID_COLUMN[type], UUID, words)));
  const fields: FieldColumn[] = [];
  const known = new Set([...Object.keys(BASE_COLUMNS[type])]);
  for (const { fields: ofBundle } of bundles.values()) for (const { name } of ofBundle) known.add(name);
  for (const column of header) {
    if ([ID_COLUMN[type], UUID, REVISION, TYPE_COLUMN[type], key].includes(column)) continue;
    const baseName = BASE_COLUMNS[type][column];
    const base = baseName === undefined ? undefined : baseFieldNamed.get(baseName)?.definition;
    const mode = modes.get(column) ?? 'replace';
    if (base !== undefined) fields.push({ column, field: base.name, mode, definitionIn: () => base });
    else {
      const field = OTHER_NAMES[type][column] ?? column;
      if (known.has(field))
        fields.push({ column, field, mode, definitionIn: ({ fieldNamed }) => fieldNamed.get(field) });
      else problems.push(tableProblem(whyUnknown(column, kind, known, words), column));
    }
  }
  const keyField = chosen === undefined ? undefined : keyFieldOf(chosen, kind, types);
  if (chosen !== undefined && keyField === undefined && header.includes(chosen))
    problems.push(tableProblem('This column names no rows: choose a field with texts or numbers.', chosen));
  for (const column of chosen === undefined ? modes.keys() : [...modes.keys(), chosen])
    if (!header.includes(column))
      problems.push(tableProblem('An option names this column, but the table lacks it.', column));
  if (fields.length === 0 && problems.length === 0) problems.push(tableProblem(whyNoChange(type)));
  return { key: { column: key ?? UUID, field: keyField }, fields, problems };
}

/** Returns the field of a column whose values are texts or numbers; undefined for another column. */
function keyFieldOf(
  column: string,
  { type, bundles, baseFieldNamed }: ContentKind & { type: LinkedType },
  types: FieldTypes,
) {
  const name = BASE_COLUMNS[type][column] ?? column;
  const definitions = [
    baseFieldNamed.get(name)?.definition,
    ...[...bundles.values()].map((each) => each.fieldNamed.get(name)),
  ];
  const definition = definitions.find((each) => each !== undefined);
  if (definition === undefined) return undefined;
  const { main, properties } = types.of(definition);
  return main === 'value' && properties.value !== 'boolean' ? name : undefined;
}

function whyUnknown(
  column: string,
  { type, bundles }: ContentKind & { readonly type: LinkedType },
  known: ReadonlySet<string>,
  words: OptionWords,
): string {
  const explained = explainColumn(column, type, bundles.values(), words);
  if (explained !== undefined) return explained;
  const guess = nearest(column, [...known]);
  return guess === undefined ? 'Unknown column: it is no field.' : `Unknown column. Did you mean ${guess}?`;
}

/** The names of the kinds of content for the option `--type`. */
export const KIND_NAMES: Readonly<Record<LinkedType, string>> = { node: 'node', media: 'media', taxonomy_term: 'term' };
