import type { JsonValue } from '../base/json.ts';
import type { FieldDefinition, FieldValues, Item } from '../model/content-model.ts';
import type { ParsedContent } from '../repository/content/content.ts';
import type { Neighbour, Surroundings } from '../repository/content/surroundings.ts';
import { siteRoot } from './addresses.ts';
import { languageOf } from './language.ts';
import type { PageSource } from './page-source.ts';

/** One entity as the parts of its page look at it. */
export interface View {
  readonly content: ParsedContent;
  readonly members: FieldValues;
  readonly around: Surroundings;
  readonly source: PageSource;
  /** What a path of the site begins with. */
  readonly root: string;
  readonly label: string;
  readonly language: string;
  /** Of a media: the field of its file, and the one that tells how many bytes that has. */
  readonly sourceField: FieldDefinition | undefined;
  readonly sizeField: string | undefined;
  /** What an item refers to; undefined for what the caller may not view. */
  targetOf(item: Item): Neighbour | undefined;
}

/** Opens content for its page. */
export function viewOf(content: ParsedContent, around: Surroundings, source: PageSource): View {
  const { kind, bundle, members } = content;
  const mediaType = kind.type === 'media' ? source.model.mediaTypes.get(bundle.name) : undefined;
  const targets = new Map(around.targets.map(({ target }) => [`${target.type} ${target.id}`, target]));
  return {
    content,
    members,
    around,
    source,
    root: siteRoot(source.baseUrl),
    label: firstText(members, kind.labelMember ?? '') ?? '',
    language: languageOf(firstText(members, 'langcode') ?? source.model.defaultLanguage),
    sourceField: mediaType?.sourceField,
    sizeField: mediaType?.autoFilled.get('filesize'),
    targetOf: ({ target_type, target_id }) => targets.get(`${target_type} ${target_id}`),
  };
}

/** The text of the first item of a field. */
export function firstText(members: FieldValues, name: string): string | undefined {
  return textOf(members[name]?.[0]?.value);
}

/** A scalar as text; undefined for what is empty or has parts. */
export function textOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
