import type { JsonObject } from '../base/json.ts';
import type { Item } from '../model/content-model.ts';
import { isNothing, toText } from './convert-scalar.ts';
import type { FieldType } from './field-type.ts';
import { nonTexts, tooLong } from './messages.ts';
import { formatViolations } from './text-types.ts';

/** Text with an attribute beside it, as a note with its type. */
export const textfieldAttr = ofTexts(['attr0', 'attr1', 'value'], 'value');
const textareaAttrTexts = ofTexts(['attr0', 'attr1', 'format', 'value'], 'value');

/** The same for long text, which may name a text format. */
export const textareaAttr: FieldType = {
  ...textareaAttrTexts,
  violations: (item, definition, context) => [
    ...textareaAttrTexts.violations(item, definition, context),
    ...(typeof item.format === 'string' ? formatViolations(item.format, context.textFormats) : []),
  ],
};

/** Something that this belongs with: a series, another edition. */
export const relatedItem = ofTexts(['identifier', 'identifier_type', 'number', 'title']);

/** Where something stands in what it is a part of: a volume, a page. */
export const partDetail = ofTexts(['type', 'caption', 'number', 'title']);

/** A place, from the continent down. */
export const hierarchicalGeographic = ofTexts([
  'continent',
  'country',
  'region',
  'state',
  'territory',
  'county',
  'city',
  'city_section',
  'island',
  'area',
  'extraterrestrial_area',
]);

/** A type whose items are texts, missing ones null. Empty without its main member, or without any where it has none. */
function ofTexts(members: readonly string[], main?: string): FieldType {
  const isEmpty = (raw: JsonObject) =>
    main === undefined ? members.every((member) => isNothing(raw[member])) : isNothing(raw[main]);
  const complete = (item: Item): Item => Object.fromEntries(members.map((member) => [member, item[member] ?? null]));
  return {
    main,
    parse: (raw) =>
      isEmpty(raw) ? undefined : Object.fromEntries(members.map((member) => [member, toText(raw[member])])),
    violations: (item, definition) => [
      ...nonTexts(item, members),
      ...members.flatMap((member) => tooLong(item[member], definition.maxLength, member, definition)),
    ],
    complete,
  };
}
