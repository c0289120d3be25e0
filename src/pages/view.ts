import { siteRoot } from '../field-types/display/addresses.ts';
import { languageOf } from '../field-types/display/language.ts';
import { type PageView, textOf } from '../field-types/page-view.ts';
import type { FieldDefinition, FieldValues, Item } from '../model/content-model.ts';
import { filePath } from '../paths.ts';
import type { ParsedContent } from '../repository/content/content.ts';
import type { Neighbour, Surroundings } from '../repository/content/read/surroundings.ts';
import type { PageSource } from '../web/site.ts';
import { assetPath } from './assets/assets.ts';

/** An entity with the data for its page. */
export interface View extends PageView {
  readonly content: ParsedContent;
  readonly members: FieldValues;
  readonly around: Surroundings;
  readonly source: PageSource;
  readonly label: string;
  readonly sourceField: FieldDefinition | undefined;
  targetOf(item: Item): Neighbour | undefined;
}

/** Creates the view of content for its page. */
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
    worldOutline: siteRoot(source.baseUrl) + assetPath('world.svg'),
    sourceField: mediaType?.sourceField,
    sizeField: mediaType?.autoFilled.get('filesize'),
    sourcePath: around.file && filePath(around.file.uri),
    targetOf: ({ target_type, target_id }) => targets.get(`${target_type} ${target_id}`),
  };
}

/** Returns the text of the first item of a field. */
export function firstText(members: FieldValues, name: string): string | undefined {
  return textOf(members[name]?.[0]?.value);
}
