import type { JsonObject } from '../base/json.ts';
import type { FieldDefinition } from '../model/content-model.ts';

/** Whether a link may lead to addresses of the site itself, as the original writes it. */
const LINK_TYPES = { any: 17, external: 16 } as const;
/** A link may have a title. */
const OPTIONAL_TITLE = 1;

/** What has bundles that a reference may be limited to. */
const WITH_BUNDLES: ReadonlySet<string> = new Set(['node', 'media', 'taxonomy_term', 'paragraph']);

/**
 * The settings of a field of one bundle. Maps are JSON objects, and are left out where they are empty: clients take
 * their keys, which a list does not have (spec: loader-api, 3).
 */
export function fieldSettings(field: FieldDefinition): JsonObject {
  const { type, relationTypes, authoritySources } = field;
  return {
    ...referenceSettings(field),
    ...nonEmpty('rel_types', relationTypes),
    ...nonEmpty('authority_sources', authoritySources),
    ...uploadSettings(field),
    ...(type === 'link' || type === 'authority_link' ? linkSettings(field) : {}),
    ...(type === 'integer' || type === 'decimal' || type === 'float' ? numberSettings(field) : {}),
    ...(type === 'boolean' ? { on_label: 'On', off_label: 'Off' } : {}),
    ...(type === 'text_with_summary' ? { display_summary: true, required_summary: false } : {}),
  };
}

/** A map under a name, unless there is nothing in it. */
export function nonEmpty(name: string, map: Readonly<Record<string, string>> | undefined): JsonObject {
  return map === undefined || Object.keys(map).length === 0 ? {} : { [name]: { ...map } };
}

function referenceSettings({ targetType, targetBundles, autoCreate, autoCreateBundle }: FieldDefinition): JsonObject {
  if (targetType === undefined) return {};
  const handler = `default:${targetType}`;
  if (!WITH_BUNDLES.has(targetType)) return { handler, handler_settings: {} };
  // No bundle in particular is null in the original, too.
  const targets = targetBundles && Object.fromEntries(targetBundles.map((name) => [name, name]));
  return {
    handler,
    handler_settings: {
      target_bundles: targets ?? null,
      auto_create: autoCreate,
      auto_create_bundle: autoCreateBundle ?? '',
    },
  };
}

function uploadSettings(field: FieldDefinition): JsonObject {
  const { type, fileExtensions, fileDirectory, maxFileBytes, altFieldRequired } = field;
  if (fileExtensions === undefined) return {};
  return {
    file_directory: fileDirectory ?? '',
    file_extensions: fileExtensions.join(' '),
    max_filesize: maxFileBytes === undefined ? '' : String(maxFileBytes),
    ...(type === 'image' && { alt_field: true, alt_field_required: altFieldRequired, title_field: false }),
  };
}

function linkSettings({ linkType = 'any' }: FieldDefinition): JsonObject {
  return { link_type: LINK_TYPES[linkType], title: OPTIONAL_TITLE };
}

function numberSettings({ min, max }: FieldDefinition): JsonObject {
  return { min: min ?? null, max: max ?? null, prefix: '', suffix: '' };
}
