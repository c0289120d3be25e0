import { type Static, Type as t } from '@sinclair/typebox';
import type { LinkedType } from '../../repository/access-rule.ts';
import { CHANGE_LABELS } from '../../transfer/table/option-words.ts';
import type { TableChanges, TableUploadOptions } from '../../transfer/table-uploads/table-upload.ts';

/** The characters between cells that a form offers, by the value of their choice. */
const DELIMITERS: ReadonlyMap<string, string> = new Map([
  [',', ','],
  [';', ';'],
  ['tab', '\t'],
]);
const MAX_SUBDELIMITER_CHARS = 10;
const MAX_REASON_CHARS = 1_000;

/** The purposes of a table, by the value of their choice. */
export const AIMS = [
  { value: 'create', label: 'Create items' },
  ...Object.entries(CHANGE_LABELS).map(([value, label]) => ({ value, label })),
];

/** The choices of an import in a form. */
export const optionFields = {
  aim: t.Optional(
    t.String({ description: '`create`, `node`, `media` or `taxonomy_term`: the content that it changes.' }),
  ),
  delimiter: t.Optional(t.String({ description: 'The character between cells: `,`, `;` or `tab`.' })),
  sheet: t.Optional(t.String({ description: 'The sheet of a spreadsheet.' })),
  subdelimiter: t.Optional(t.String({ description: 'The text between the values of a cell.' })),
  content_type: t.Optional(t.String({ description: 'The content type of rows without one.' })),
  text_format: t.Optional(t.String({ description: 'The format of formatted texts.' })),
  no_new_terms: t.Optional(t.String({ description: 'Create no missing terms.' })),
  create_terms: t.Optional(t.Array(t.String(), { description: 'Vocabularies in which missing terms are created.' })),
  additional_files: t.Optional(t.String({ description: 'Lines such as `transcript=Transcript`.' })),
  again: t.Optional(t.String({ description: 'Import a table again that was imported before.' })),
  key: t.Optional(t.String({ description: 'The field that names the rows of a table of changes.' })),
  append: t.Optional(t.String({ description: 'Columns whose cells add values, separated by commas.' })),
  remove: t.Optional(t.String({ description: 'Columns whose cells remove values, separated by commas.' })),
  overwrite: t.Optional(t.String({ description: 'Change what others have changed since the export.' })),
  reason: t.Optional(t.String({ description: 'The reason for the history of changed content.' })),
};
const fields = t.Object(optionFields);

/** The choices of a form, and what is wrong with them. */
interface ReadOptions {
  readonly options: TableUploadOptions;
  readonly errors: readonly { readonly field: string; readonly message: string }[];
}

/** The choices of a form in which nothing was changed. */
const USUAL_OPTIONS: TableUploadOptions = {
  delimiter: ',',
  sheet: undefined,
  subdelimiter: '|',
  contentType: 'islandora_object',
  newTerms: true,
  createTerms: [],
  textFormat: undefined,
  additionalFiles: [],
  again: false,
};

/** The fields of a form, as far as it has them. */
type OptionsForm = { readonly [Name in keyof Static<typeof fields>]?: Static<typeof fields>[Name] | undefined };

/** Reads the choices of a form. */
export function readOptions(form: OptionsForm): ReadOptions {
  const errors: { field: string; message: string }[] = [];
  const { delimiter: chosen = ',', subdelimiter = USUAL_OPTIONS.subdelimiter } = form;
  const delimiter = DELIMITERS.get(chosen);
  if (delimiter === undefined)
    errors.push({ field: 'delimiter', message: 'Choose one of the characters between cells.' });
  if (subdelimiter === '' || subdelimiter.length > MAX_SUBDELIMITER_CHARS)
    errors.push({ field: 'subdelimiter', message: `Enter 1 to ${MAX_SUBDELIMITER_CHARS} characters between values.` });
  const { pairs, invalid } = readPairs(form.additional_files ?? '');
  if (invalid !== undefined)
    errors.push({
      field: 'additional_files',
      message: `Write a column and a term of media use, such as transcript=Transcript, instead of ${JSON.stringify(invalid)}.`,
    });
  const changes = readChanges(form, errors);
  const options = {
    delimiter: delimiter ?? USUAL_OPTIONS.delimiter,
    sheet: form.sheet?.trim() || undefined,
    subdelimiter,
    contentType: form.content_type || USUAL_OPTIONS.contentType,
    newTerms: form.no_new_terms === undefined,
    createTerms: form.create_terms ?? [],
    textFormat: form.text_format || undefined,
    additionalFiles: pairs,
    again: form.again !== undefined,
    changes,
  };
  return { options, errors };
}

/** Reads the choices for a table of changes. Returns undefined for a table of new items. */
function readChanges(form: OptionsForm, errors: { field: string; message: string }[]): TableChanges | undefined {
  const { aim = 'create', overwrite, reason = '' } = form;
  if (!AIMS.some(({ value }) => value === aim))
    errors.push({ field: 'aim', message: 'Choose one of the purposes of a table.' });
  if (aim === 'create') return undefined;
  const [append, remove] = [columnsIn(form.append), columnsIn(form.remove)];
  const twice = append.find((column) => remove.includes(column));
  if (twice !== undefined)
    errors.push({ field: 'remove', message: `The cells of ${twice} cannot add and remove values. Name it once.` });
  if (reason.length > MAX_REASON_CHARS)
    errors.push({ field: 'reason', message: `Enter at most ${MAX_REASON_CHARS.toLocaleString('en-GB')} characters.` });
  const key = form.key?.trim() || undefined;
  return { type: aim as LinkedType, key, append, remove, overwrites: overwrite !== undefined, reason: reason.trim() };
}

function columnsIn(text = ''): string[] {
  return [...new Set(text.split(/[,\s]+/).filter((column) => column !== ''))];
}

function readPairs(text: string): { readonly pairs: [string, string][]; readonly invalid: string | undefined } {
  const pairs: [string, string][] = [];
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '') continue;
    const [, column, term] = /^([^=]+)=(.+)$/.exec(line) ?? [];
    if (column === undefined || term === undefined) return { pairs, invalid: line.slice(0, 100) };
    pairs.push([column.trim(), term.trim()]);
  }
  return { pairs, invalid: undefined };
}
