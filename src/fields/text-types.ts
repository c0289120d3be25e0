import type { JsonValue } from '../base/json.ts';
import type { FieldDefinition } from '../model/content-model.ts';
import { isNothing, toText } from './convert-scalar.ts';
import type { FieldType, Violation } from './field-type.ts';
import { nonTexts, notAChoice, tooLong, wrongType } from './messages.ts';

/** Plain text, on one line or several: any scalar, kept as text. */
export const plainText: FieldType = {
  main: 'value',
  parse: (raw) => (isNothing(raw.value) ? undefined : { value: toText(raw.value) }),
  violations: (item, definition) =>
    typeof item.value === 'string'
      ? tooLong(item.value, definition.maxLength, 'value', definition)
      : [wrongType('value')],
  complete: (item) => item,
};

/** Text in a format. What it shows as, `processed`, is made when it is saved. */
export const formattedText: FieldType = {
  main: 'value',
  parse: (raw) => (isNothing(raw.value) ? undefined : { value: toText(raw.value), format: readFormat(raw.format) }),
  violations: (item, definition, { textFormats }) => [
    ...(typeof item.value === 'string' ? [] : [wrongType('value')]),
    ...tooLong(item.value, definition.maxLength, 'value', definition),
    ...formatViolations(item.format, textFormats),
  ],
  complete: ({ value = null, format = null }, _definition, context) => ({
    value,
    format,
    processed: processed(value, format, context.process),
  }),
};

/** Formatted text with a summary; either of the two may be missing. */
export const textWithSummary: FieldType = {
  main: 'value',
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
    processed: processed(value, format, context.process),
    summary,
  }),
};

/** Whether the values of a field are texts in a format. */
export function isFormatted({ type }: Pick<FieldDefinition, 'type'>): boolean {
  return type === 'text' || type === 'text_long' || type === 'text_with_summary';
}

/** The name of a text format; null where none is named. */
export function readFormat(format: JsonValue | undefined): JsonValue {
  return isNothing(format) ? null : format;
}

/** Says when a text names a format that there is not. */
export function formatViolations(format: JsonValue | undefined, known: ReadonlySet<string>): Violation[] {
  const isKnown = isNothing(format) || (typeof format === 'string' && known.has(format));
  return isKnown ? [] : [notAChoice('format')];
}

function processed(
  value: JsonValue,
  format: JsonValue,
  process: (text: string, format: string | null) => string,
): string {
  if (typeof value !== 'string' || value === '') return '';
  return process(value, typeof format === 'string' ? format : null);
}
