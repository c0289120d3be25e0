import { isNothing, toText } from './convert-value.ts';
import { defineFieldType, searchTextOf } from './define-field-type.ts';
import type { FieldType } from './field-type.ts';
import { textOf } from './page-view.ts';
import { answered, textOrNull } from './schemas.ts';
import { nonTexts, tooLong } from './violation.ts';

/** Something that this belongs with: a series, another edition. */
export const relatedItem = ofTexts('RelatedItem', 'title', ['identifier', 'identifier_type', 'number', 'title']);

/** The place within a whole: a volume, a page. */
export const partDetail = ofTexts('PartDetailItem', 'title', ['type', 'caption', 'number', 'title']);

/** A place, from the continent down. */
export const hierarchicalGeographic = ofTexts('HierarchicalGeographicItem', 'country', [
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

/** Makes a type whose items are several texts, missing ones null. An item without any is empty. */
function ofTexts(name: string, first: string, members: readonly string[]): FieldType {
  return defineFieldType({
    main: undefined,
    properties: Object.fromEntries([first, ...members].map((member) => [member, 'text'])),
    answer: answered(name, Object.fromEntries(members.map((member) => [member, textOrNull]))),
    input: members,
    parse: (raw) =>
      members.every((member) => isNothing(raw[member]))
        ? undefined
        : Object.fromEntries(members.map((member) => [member, toText(raw[member])])),
    violations: (item, definition) => [
      ...nonTexts(item, members),
      ...members.flatMap((member) => tooLong(item[member], definition.maxLength, member, definition)),
    ],
    controls: ({ maxLength }) => members.map((member) => ({ kind: 'text', member, label: inWords(member), maxLength })),
    complete: (item) => Object.fromEntries(members.map((member) => [member, item[member] ?? null])),
    show: (item) => {
      const parts = Object.values(item).flatMap((part) => textOf(part) ?? []);
      return parts.length > 0 ? parts.join(', ') : undefined;
    },
    searchText: (item) => searchTextOf(...members.map((member) => item[member])),
    isJsonInCells: true,
  });
}

/** Returns a machine name as a label: `City section` for `city_section`. */
function inWords(member: string): string {
  const words = member.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
