import { Type as t } from '@sinclair/typebox';
import type { JsonValue } from '../base/json.ts';
import { cellText } from './cell.ts';
import { isNothing, toText } from './convert-value.ts';
import { defineFieldType, searchTextOf } from './define-field-type.ts';
import { RightsLink, rightsOf } from './display/rights.tsx';
import type { FieldContext, FieldType, Violation } from './field-type.ts';
import { textOf } from './page-view.ts';
import { asText, rdfOfValue } from './rdf.ts';
import { answered, text as anyText, textOrNull } from './schemas.ts';
import { showLines } from './string.tsx';
import { textWithoutMarkup } from './text-without-markup.ts';
import { nonTexts, notAChoice, tooLong, wrongType } from './violation.ts';

const MAX_CHARACTERS = 255;

/** Long text in a format. Its HTML, `processed`, is generated when it is stored. */
export const textLong = defineFieldType({
  answer: answered('FormattedTextItem', {
    value: anyText,
    format: textOrNull,
    processed: t.String({ description: 'The filtered HTML.' }),
  }),
  input: ['value', 'format'],
  parse: (raw) => (isNothing(raw.value) ? undefined : { value: toText(raw.value), format: readFormat(raw.format) }),
  violations: (item, definition, { textFormats }) => [
    ...(typeof item.value === 'string' ? [] : [wrongType('value')]),
    ...tooLong(item.value, definition.maxLength, 'value', definition),
    ...formatViolations(item.format, textFormats),
  ],
  complete: ({ value = null, format = null }, _definition, context) => ({
    value,
    format,
    processed: processed(value, format, context),
  }),
  effort: 'markup',
  properties: { value: 'text', format: 'text' },
  mayBeAddress: true,
  rdf: rdfOfValue(asText),
  // Safe: the text format has removed everything that runs. No other stored text reaches a page as markup.
  show: (item) => {
    const rights = rightsOf(textOf(item.value) ?? '');
    if (rights !== undefined) return <RightsLink rights={rights} />;
    const html = textOf(item.processed);
    if (html !== undefined) return <div class="text" dangerouslySetInnerHTML={{ __html: html }} />;
    return showLines(item.processed === undefined ? item.value : item.summary);
  },
  controls: ({ maxLength }, { textFormats }) => [
    { kind: 'lines', member: 'value', maxLength, formatMember: 'format' },
    { kind: 'choice', member: 'format', label: 'Text format', options: textFormats },
  ],
  searchText: ({ value, processed: html, summary }) =>
    searchTextOf(hasMarkup(value) ? textWithoutMarkup({ processed: html ?? value ?? null }) : value, summary),
  readCell: (value, _definition, { textFormat }) => ({ raw: { value, format: textFormat ?? null } }),
  cellLosses: ({ format, summary }) => [
    ...(typeof format === 'string'
      ? [`formatted texts in ${format}: import the table with --text-format ${format}`]
      : []),
    ...(cellText(summary) === '' ? [] : ['summaries of texts']),
  ],
  module: 'text',
  widget: 'text_textarea',
});

/** Text in a format. */
export const text: FieldType = {
  ...textLong,
  settings: ['max_length'],
  defaults: ({ max_length = MAX_CHARACTERS }) => ({ maxLength: max_length }),
  widget: 'text_textfield',
};

/** Text in a format with a summary. Either may be missing. */
export const textWithSummary: FieldType = {
  ...textLong,
  answer: answered('TextWithSummaryItem', {
    value: textOrNull,
    format: textOrNull,
    processed: anyText,
    summary: textOrNull,
  }),
  input: ['value', 'format', 'summary'],
  parse: (raw) =>
    isNothing(raw.value) && isNothing(raw.summary)
      ? undefined
      : { value: toText(raw.value), format: readFormat(raw.format), summary: toText(raw.summary) },
  violations: (item, definition, { textFormats }) => [
    ...nonTexts(item, ['value', 'summary']),
    ...tooLong(item.value, definition.maxLength, 'value', definition),
    ...formatViolations(item.format, textFormats),
  ],
  complete: ({ value = null, format = null, summary = null }, _definition, context) => ({
    value,
    format,
    processed: processed(value, format, context),
    summary,
  }),
  properties: { value: 'text', format: 'text', summary: 'text' },
  controls: (definition, context) => [
    ...(textLong.controls(definition, context) ?? []),
    { kind: 'lines', member: 'summary', label: 'Summary' },
  ],
  widget: 'text_textarea_with_summary',
  fieldSettings: () => ({ display_summary: true, required_summary: false }),
};

/** Returns true if the words of a text may differ from those of its HTML. */
function hasMarkup(value: JsonValue | undefined): boolean {
  return typeof value === 'string' && /[<&]/.test(value);
}

/** Returns a violation if a text names an unknown format. */
export function formatViolations(format: JsonValue | undefined, known: ReadonlySet<string>): Violation[] {
  const isKnown = isNothing(format) || (typeof format === 'string' && known.has(format));
  return isKnown ? [] : [notAChoice('format')];
}

/** Returns the name of a text format; null where none is named. */
function readFormat(format: JsonValue | undefined): JsonValue {
  return isNothing(format) ? null : format;
}

function processed(value: JsonValue, format: JsonValue, { process }: FieldContext): string {
  if (typeof value !== 'string' || value === '') return '';
  return process(value, typeof format === 'string' ? format : null);
}
