import type { JsonValue } from '../base/json.ts';
import { INDEPENDENT_TYPES } from '../model/field-facts.ts';
import { cellText } from './cell.ts';
import { isNothing, toText } from './convert-value.ts';
import type { FieldType } from './field-type.ts';
import { textOf } from './page-view.ts';
import { asPlain, rdfOfValue } from './rdf.ts';
import { answered, text } from './schemas.ts';
import { tooLong, wrongType } from './violation.ts';

const answerText = answered('TextItem', { value: text });
const TEXT_INPUT = ['value'];

/**
 * Creates a field type. Missing members default to those of text without settings. A type whose items have other members
 * than `value` must provide `main`, `answer`, `input`, `parse` and `violations`.
 */
export function defineFieldType(own: Partial<FieldType>): FieldType {
  const main = 'main' in own ? own.main : 'value';
  const value = main ?? 'value';
  return {
    main,
    mains: main === undefined ? [] : [main],
    isConfigurable: true,
    settings: [],
    neededSettings: [],
    targetTypes: INDEPENDENT_TYPES,
    defaults: () => ({}),
    expectedMain: expectedText,
    properties: { [value]: 'text' },
    mayBeAddress: false,
    hasYears: false,
    isSignpost: false,
    answer: answerText,
    input: TEXT_INPUT,
    choices: () => undefined,
    parse: (raw) => (isNothing(raw.value) ? undefined : { value: toText(raw.value) }),
    violations: (item, definition) =>
      typeof item.value === 'string'
        ? tooLong(item.value, definition.maxLength, 'value', definition)
        : [wrongType('value')],
    complete: (item) => item,
    effort: undefined,
    portable: (item) => item,
    isWhole: false,
    keep: (submitted) => submitted,
    ofFile: () => ({}),
    isRelated: false,
    isTrack: false,
    rdf: rdfOfValue(asPlain),
    role: () => undefined,
    controls(definition) {
      const choices = this.choices(definition);
      if (choices?.member !== value) return [{ kind: 'text', member: value, maxLength: definition.maxLength }];
      return [{ kind: 'choice', member: value, options: choices.values.map((each) => ({ value: each, label: each })) }];
    },
    show: (item) => textOf(item[value]),
    searchText: (item) => searchTextOf(item[value]),
    years: () => undefined,
    isJsonInCells: false,
    shortCell: undefined,
    writeCell: (item) => cellText(item[value]),
    readCell: (text) => ({ raw: { [value]: text.trim() } }),
    cellTarget: { write: (_item, target) => target, read: (text) => ({ target: text, own: {} }) },
    cellLosses: () => [],
    cellChoices(member, definition, { textFormats }) {
      if (member === 'format') return textFormats;
      const choices = this.choices(definition);
      return choices?.member === (member ?? main) ? (choices?.values ?? []) : [];
    },
    cellKind: undefined,
    module: 'core',
    widget: 'string_textfield',
    fieldSettings: () => ({}),
    storageSettings: {},
    ...own,
  };
}

/** Returns the words of texts for the search index. Numbers and booleans have none. */
export function searchTextOf(...values: readonly (JsonValue | undefined)[]): string | undefined {
  const texts = values.filter((each) => typeof each === 'string' && each !== '');
  return texts.length === 0 ? undefined : texts.join('\n');
}

/** The `searchText` of a type whose values have no words. */
export const NO_WORDS: Pick<FieldType, 'searchText'> = { searchText: () => undefined };

/** The `expectedMain` of text. */
const expectedText: FieldType['expectedMain'] = (value, { maxLength, allowedValues }) => {
  if (typeof value !== 'string') return 'text';
  if (maxLength !== undefined && [...value].length > maxLength) return `text of at most ${maxLength} characters`;
  const isAllowed = allowedValues === undefined || Object.hasOwn(allowedValues, value);
  return isAllowed ? undefined : `one of ${Object.keys(allowedValues).join(', ')}`;
};
