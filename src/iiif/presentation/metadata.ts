import type { ComponentChild } from 'preact';
import { textOfHtml, tidy } from '../../base/html-parser.ts';
import { htmlOf, type Markups } from '../../base/markup/markup.ts';
import type { FieldTypes } from '../../field-types/field-type.ts';
import type { PageView } from '../../field-types/page-view.ts';
import type { FieldDefinition, FieldValues, Item } from '../../model/content-model.ts';
import { inDisplayOrder, readerLabel } from '../../model/field-groups.ts';
import type { ParsedContent } from '../../repository/content/content.ts';
import type { Neighbour, Surroundings } from '../../repository/content/read/surroundings.ts';
import { MEMBER_OF } from '../../repository/relations.ts';
import { inLanguage, type LanguageMap, proseIn } from './language-map.ts';

const RIGHTS = 'field_rights';
/** Fields and types of fields that other members of a manifest express, or that have no words. */
const NO_METADATA: ReadonlySet<string> = new Set([RIGHTS, MEMBER_OF, 'comment', 'image']);
/** Maximum length of a value: an item may hold a whole text. */
const MAX_VALUE_CHARS = 5_000;

/** A label with its values. */
interface MetadataEntry {
  readonly label: LanguageMap;
  readonly value: LanguageMap;
}

/** The descriptive texts of an item. */
export interface Description {
  readonly language: string | undefined;
  readonly summary: string | undefined;
  readonly metadata: readonly MetadataEntry[];
  /** The label of the field of rights, its texts, and its values as stored, which may be addresses. */
  readonly rights:
    | { readonly label: LanguageMap; readonly texts: readonly string[]; readonly values: readonly string[] }
    | undefined;
}

/** The parts of the repository that texts depend on. */
export interface DescriptionSource {
  readonly fieldTypes: FieldTypes;
  /** The language of labels. */
  readonly labelLanguage: string;
}

/** Describes a node by the values of its fields in words, as its page does, as far as the caller may view them. */
export function describeNode(content: ParsedContent, around: Surroundings, source: DescriptionSource): Description {
  const { bundle, members } = content;
  const language = languageOfContent(members);
  const view = viewFor(around, language ?? source.labelLanguage);
  const textsOf = (field: FieldDefinition) => textsIn(members[field.name] ?? [], field, source.fieldTypes, view);
  const fields = inDisplayOrder(bundle.display, bundle.fields);
  const summaries = fields.filter(({ shownAs }) => shownAs === 'description').flatMap(textsOf);
  const rightsField = bundle.fieldNamed.get(RIGHTS);
  const rights = rightsField && textsOf(rightsField);
  const label = (field: FieldDefinition) => inLanguage(source.labelLanguage, readerLabel(bundle, field));
  return {
    language,
    summary: summaries[0],
    metadata: fields.flatMap((field): MetadataEntry[] => {
      if (field.shownAs !== 'row' || NO_METADATA.has(field.name) || NO_METADATA.has(field.type)) return [];
      const texts = textsOf(field);
      return texts.length === 0 ? [] : [{ label: label(field), value: proseIn(language, ...texts) }];
    }),
    rights:
      rightsField && rights && rights.length > 0
        ? { label: label(rightsField), texts: rights, values: valuesIn(members[RIGHTS]) }
        : undefined,
  };
}

/** Returns the language of content; undefined if it is unknown. */
function languageOfContent(members: FieldValues): string | undefined {
  const langcode = members.langcode?.[0]?.value;
  return typeof langcode === 'string' ? langcode : undefined;
}

function valuesIn(items: readonly Item[] = []): string[] {
  return items.flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
}

function textsIn(items: readonly Item[], field: FieldDefinition, types: FieldTypes, view: PageView): string[] {
  const type = types.of(field);
  return items.flatMap((item) => {
    const shown = type.show(item, field, view);
    const text = shown === undefined ? '' : plainText(shown).slice(0, MAX_VALUE_CHARS);
    return text === '' ? [] : [text];
  });
}

/** Returns the view in which field types show values. Its addresses appear in no text. */
function viewFor({ targets }: Surroundings, language: string): PageView {
  const known = new Map(targets.map(({ target }): [string, Neighbour] => [`${target.type} ${target.id}`, target]));
  return {
    root: '',
    language,
    worldOutline: undefined,
    sourceField: undefined,
    sizeField: undefined,
    sourcePath: undefined,
    targetOf: ({ target_type, target_id }) => known.get(`${target_type} ${target_id}`),
  };
}

/** Returns a value of a page as text, without markup. Blocks are separated by line breaks. */
function plainText(shown: ComponentChild): string {
  if (typeof shown === 'number') return String(shown);
  if (typeof shown === 'string') return tidy(shown);
  return textOfHtml(htmlOf(shown as Markups));
}
