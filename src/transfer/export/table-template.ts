import { and, eq } from 'drizzle-orm';
import { query } from '../../database/query-builder.ts';
import { terms } from '../../database/schema/content.ts';
import { isAmong } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import type { FieldDefinition, NodeType } from '../../model/content-model.ts';
import { entityTarget } from '../../repository/content/referring-fields.ts';
import { sheetFormat } from '../spreadsheet/write-spreadsheet.ts';
import { writeTemplateBook } from '../spreadsheet/write-template-book.ts';
import { type LoadContext, USUAL_TABLE_OPTIONS } from '../table/table-options.ts';
import { tableFile } from '../table/write-table.ts';
import { tableColumns } from './table-columns.ts';

/** A column of an empty table. */
export interface TemplateColumn {
  readonly name: string;
  readonly help: string;
  /** The values to choose from; empty for any value. */
  readonly choices: readonly string[];
}

/** The maximum number of terms to choose from: a longer list is of no use in a spreadsheet. */
const MAX_CHOICES = 1_000;
const LIKE_AN_ID = /^\d{1,15}$/;
const YES_OR_NO = ['1', '0'];

/** Help for the columns that are no fields. */
const HELP: Readonly<Record<string, string>> = {
  id: 'The unique name of the row (required).',
  parent_id: 'The id of the row whose item is the parent.',
  content_type: 'The content type.',
  title: 'The title (required), at most 255 characters.',
  published: '1 if everyone may see the item, otherwise 0.',
  promote: '1 for the front page, otherwise 0.',
  sticky: '1 for the top of lists, otherwise 0.',
  created: 'Such as 2020-11-15T23:49:22+00:00.',
  uid: 'The name or id of the owner.',
  langcode: 'The language.',
  url_alias: 'An address such as /collections/maps.',
  access_rule: 'Who may see it: the name of a preset, such as closed, or a rule as JSON.',
  file: 'The path of a file, such as scans/001.tif.',
  additional_files: 'More files with their use, such as Transcript:texts/001.txt.',
  image_alt_text: 'The alternative text of an image in the column file.',
  checksum: 'The SHA-256 of the file in the column file.',
};

const findNames = prepare(({ vocabularies }: Named<{ vocabularies: string }>) =>
  query
    .select({ vocabulary: terms.bundle, name: terms.label })
    .from(terms)
    .where(and(isAmong(terms.bundle, vocabularies), eq(terms.status, true)))
    .orderBy(terms.bundle, terms.foldedLabel)
    .limit(MAX_CHOICES + 1),
);

/**
 * Returns an empty table for items of a content type, in the format of a file name: a column for each field, and a row with
 * help that imports skip. A workbook has lists to choose from.
 */
export async function tableTemplate(
  context: LoadContext,
  contentType: NodeType,
  fileName: string,
): Promise<AsyncIterable<Uint8Array>> {
  const columns = await templateColumns(context, contentType);
  const rows = [columns.map(({ name }) => name), columns.map(({ help }, at) => (at === 0 ? `# ${help}` : help))];
  if (sheetFormat(fileName) !== 'xlsx') return tableFile(fileName, once(rows));
  return once(
    await writeTemplateBook(
      rows,
      columns.map(({ choices }) => choices),
    ),
  );
}

async function templateColumns(context: LoadContext, type: NodeType): Promise<TemplateColumn[]> {
  const { model } = context.services;
  const choicesOf: Readonly<Record<string, readonly string[]>> = {
    content_type: [type.name],
    ...{ published: YES_OR_NO, promote: YES_OR_NO, sticky: YES_OR_NO },
    langcode: model.languages,
  };
  const names = tableColumns(model, type.name, { hasFiles: true, isForUpdate: false });
  return Promise.all(
    names.map(async (name) => {
      const field = type.fieldNamed.get(name);
      if (field === undefined) return { name, help: HELP[name] ?? '', choices: choicesOf[name] ?? [] };
      return { name, help: helpOf(context, type, field), choices: await choicesFor(context, field) };
    }),
  );
}

function helpOf({ services }: LoadContext, { form }: NodeType, field: FieldDefinition): string {
  const { name, label, required, cardinality, relationTypes, targetBundles } = field;
  const kind = services.fields.types.of(field).cellKind;
  const [relation] = Object.keys(relationTypes ?? {});
  const example =
    relation &&
    ` A relation, a vocabulary and a name, such as ${relation}:${targetBundles?.[0] ?? 'person'}:Doe, Jane.`;
  const written = example ?? (kind === undefined ? '' : ` Write ${kind}.`);
  const help = form.help.get(name);
  const several = cardinality === 1 ? '' : ` Separate several values by ${USUAL_TABLE_OPTIONS.subdelimiter}.`;
  return `${form.labels.get(name) ?? label}${required ? ' (required)' : ''}.${written}${help === undefined ? '' : ` ${help}`}${several}`;
}

async function choicesFor({ services }: LoadContext, field: FieldDefinition): Promise<readonly string[]> {
  if (field.allowedValues !== undefined) return Object.keys(field.allowedValues);
  if (field.type === 'boolean') return YES_OR_NO;
  if (entityTarget(field) !== 'taxonomy_term' || field.relationTypes !== undefined) return [];
  const vocabularies = field.targetBundles ?? [...services.model.vocabularies.keys()];
  const rows = await services.database.all(findNames({ vocabularies: JSON.stringify(vocabularies) }));
  if (rows.length > MAX_CHOICES) return [];
  const texts = rows
    .filter(({ name }) => !name.includes(USUAL_TABLE_OPTIONS.subdelimiter))
    .map(({ vocabulary, name }) => (vocabularies.length > 1 || LIKE_AN_ID.test(name) ? `${vocabulary}:${name}` : name));
  return [...new Set(texts)];
}

async function* once<T>(value: T): AsyncGenerator<T> {
  yield value;
}
