import type { Control } from './control.ts';
import { isNothing, toText } from './convert-value.ts';
import { defineFieldType } from './define-field-type.ts';
import type { FieldType } from './field-type.ts';
import { textOf } from './page-view.ts';
import { asText, rdfOfValue } from './rdf.ts';
import { answered, text, textOrNull } from './schemas.ts';
import { formatViolations } from './text.tsx';
import { nonTexts, tooLong } from './violation.ts';

const MEMBERS = ['attr0', 'attr1', 'value'];
const ATTRIBUTE_CONTROLS: readonly Control[] = [
  { kind: 'text', member: 'attr0', label: 'First attribute' },
  { kind: 'text', member: 'attr1', label: 'Second attribute' },
];
const LONG_MEMBERS = ['attr0', 'attr1', 'format', 'value'];

/** Text with attributes, such as a note with its type. */
export const textfieldAttr = defineFieldType({
  settings: ['max_length'],
  properties: { value: 'text', attr0: 'text', attr1: 'text' },
  mayBeAddress: true,
  answer: answered('TextfieldAttrItem', { attr0: textOrNull, attr1: textOrNull, value: text }),
  input: MEMBERS,
  parse: (raw) =>
    isNothing(raw.value) ? undefined : { attr0: toText(raw.attr0), attr1: toText(raw.attr1), value: toText(raw.value) },
  violations: (item, definition) => [
    ...nonTexts(item, MEMBERS),
    ...MEMBERS.flatMap((member) => tooLong(item[member], definition.maxLength, member, definition)),
  ],
  complete: ({ attr0 = null, attr1 = null, value = null }) => ({ attr0, attr1, value }),
  rdf: rdfOfValue(asText),
  show: ({ value, attr0, attr1 }) => {
    const main = textOf(value);
    if (main === undefined) return undefined;
    const attributes = [attr0, attr1].flatMap((attribute) => textOf(attribute) ?? []);
    return (
      <p class="lines">
        {main}
        {attributes.length > 0 && <span class="aside"> ({attributes.join(', ')})</span>}
      </p>
    );
  },
  controls: ({ maxLength }) => [{ kind: 'text', member: 'value', label: 'Text', maxLength }, ...ATTRIBUTE_CONTROLS],
  isJsonInCells: true,
});

/** Long text with attributes and an optional text format. */
export const textareaAttr: FieldType = {
  ...textfieldAttr,
  settings: [],
  properties: { ...textfieldAttr.properties, format: 'text' },
  answer: answered('TextareaAttrItem', { attr0: textOrNull, attr1: textOrNull, format: textOrNull, value: text }),
  input: LONG_MEMBERS,
  parse: (raw) =>
    isNothing(raw.value)
      ? undefined
      : {
          attr0: toText(raw.attr0),
          attr1: toText(raw.attr1),
          format: toText(raw.format),
          value: toText(raw.value),
        },
  violations: (item, definition, { textFormats }) => [
    ...nonTexts(item, LONG_MEMBERS),
    ...LONG_MEMBERS.flatMap((member) => tooLong(item[member], definition.maxLength, member, definition)),
    ...(typeof item.format === 'string' ? formatViolations(item.format, textFormats) : []),
  ],
  complete: ({ attr0 = null, attr1 = null, format = null, value = null }) => ({ attr0, attr1, format, value }),
  controls: () => [{ kind: 'lines', member: 'value', label: 'Text' }, ...ATTRIBUTE_CONTROLS],
  widget: 'string_textarea',
};
