import type { JsonObject } from '../../base/json.ts';
import type { Bundle, ContentModel, MediaType, NodeType, Vocabulary } from '../../model/content-model.ts';
import { dependencies } from './config-dependencies.ts';

/** A node type, as `/entity/node_type/{type}` shows it. */
export function nodeTypeJson(bundle: NodeType, model: ContentModel): JsonObject {
  return {
    ...commonOf(bundle, model),
    dependencies: dependencies([]),
    name: bundle.label,
    type: bundle.name,
    description: '',
    help: '',
    new_revision: bundle.newRevision,
    preview_mode: 1,
    display_submitted: bundle.displaySubmitted,
  };
}

/** The names of sources that the original has others for. */
const SOURCE_PLUGINS: Readonly<Partial<Record<MediaType['source'], string>>> = { remote_video: 'oembed:video' };

/** A media type, as `/entity/media_type/{type}` shows it. */
export function mediaTypeJson(bundle: MediaType, model: ContentModel): JsonObject {
  const { name, source, sourceField } = bundle;
  return {
    ...commonOf(bundle, model),
    dependencies: dependencies([`field.field.media.${name}.${sourceField.name}`]),
    id: name,
    label: bundle.label,
    description: '',
    source: SOURCE_PLUGINS[source] ?? source,
    queue_thumbnail_downloads: false,
    new_revision: bundle.newRevision,
    source_configuration: { source_field: sourceField.name },
    field_map: Object.fromEntries(bundle.autoFilled),
  };
}

/** A vocabulary, as `/entity/taxonomy_vocabulary/{vid}` shows it. */
export function vocabularyJson(bundle: Vocabulary, model: ContentModel): JsonObject {
  return {
    ...commonOf(bundle, model),
    dependencies: dependencies([]),
    name: bundle.label,
    vid: bundle.name,
    description: '',
    weight: 0,
    new_revision: bundle.newRevision,
  };
}

function commonOf({ uuid }: Bundle, { defaultLanguage }: ContentModel): JsonObject {
  return { uuid, langcode: defaultLanguage, status: true };
}
