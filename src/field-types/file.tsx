import { Type as t } from '@sinclair/typebox';
import type { ComponentChild } from 'preact';
import type { JsonObject } from '../base/json.ts';
import type { FieldDefinition, Item } from '../model/content-model.ts';
import { isNothing, toBoolean, toText } from './convert-value.ts';
import { defineFieldType, searchTextOf } from './define-field-type.ts';
import { fileNameOf, ownPath } from './display/addresses.ts';
import { type PageView, textOf } from './page-view.ts';
import { expectedTarget, readTarget, referenceSettings, targetViolations, withTarget } from './reference.tsx';
import { answeredReference, REFERENCE_MEMBERS, textOrNull } from './schemas.ts';
import { nonTexts, wrongType } from './violation.ts';

const DEFAULT_DIRECTORY = '[date:custom:Y]-[date:custom:m]';
const DEFAULT_SCHEME = 'public';

/** A reference to a file, with a description and a display flag. */
export const file = defineFieldType({
  searchText: ({ description }) => searchTextOf(description),
  main: 'target_id',
  mains: ['target_id', 'target_uuid'],
  settings: ['file_extensions', 'uri_scheme', 'file_directory', 'max_file_bytes'],
  neededSettings: ['file_extensions'],
  defaults: ({ uri_scheme = DEFAULT_SCHEME, file_directory = DEFAULT_DIRECTORY }) => ({
    targetType: 'file',
    targetBundles: undefined,
    uriScheme: uri_scheme,
    fileDirectory: file_directory,
  }),
  expectedMain: expectedTarget,
  properties: { target_id: 'text', description: 'text' },
  answer: answeredReference('Item', { display: t.Boolean(), description: textOrNull }),
  input: [...REFERENCE_MEMBERS, 'display', 'description'],
  parse: (raw, definition) => {
    const target = readTarget(raw, definition);
    const display = isNothing(raw.display) ? true : toBoolean(raw.display);
    return target && { ...target, display, description: toText(raw.description) };
  },
  violations: (item, definition) => [
    ...targetViolations(item, definition),
    ...(typeof item.display === 'boolean' ? [] : [wrongType('display')]),
    ...nonTexts(item, ['description']),
  ],
  complete: (item) => withTarget(item, { display: item.display ?? true, description: item.description ?? null }),
  controls: () => [
    { kind: 'file', member: 'target_id' },
    { kind: 'text', member: 'description', label: 'Description' },
  ],
  show: showFile,
  isJsonInCells: true,
  module: 'file',
  widget: 'file_generic',
  fieldSettings: uploadSettings,
});

/** Returns a link to a file, under its description or name. */
export function showFile(item: Item, definition: FieldDefinition, view: PageView): ComponentChild | undefined {
  const path = pathOfFile(item, definition, view);
  return path && <a href={view.root + path}>{textOf(item.description) ?? fileNameOf(path)}</a>;
}

/** Returns the path of a file. Undefined for the source of a media that the caller may not read. */
export function pathOfFile({ url }: Item, definition: FieldDefinition, view: PageView): string | undefined {
  return isSource(definition, view) ? view.sourcePath : ownPath(url);
}

/** Returns true for the source field of a media, whose file the page shows separately. */
export function isSource({ name }: FieldDefinition, { sourceField }: PageView): boolean {
  return name === sourceField?.name;
}

/** Returns the settings of a file field for `/entity/field_config`. */
export function uploadSettings(definition: FieldDefinition): JsonObject {
  const { fileExtensions, fileDirectory, maxFileBytes } = definition;
  if (fileExtensions === undefined) return referenceSettings(definition);
  return {
    ...referenceSettings(definition),
    file_directory: fileDirectory ?? '',
    file_extensions: fileExtensions.join(' '),
    max_filesize: maxFileBytes === undefined ? '' : String(maxFileBytes),
  };
}
