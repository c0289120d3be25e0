import type { JsonObject } from '../../base/json.ts';
import { configUuid } from '../../model/config-uuid.ts';
import type { Bundle, EntityType, FieldDefinition, MediaType } from '../../model/content-model.ts';
import { type ConfigSource, dependencies, referenceTo } from './config-dependencies.ts';

type Widgets = readonly (readonly [name: string, widget: string])[];

const LANGUAGE: Widgets = [['langcode', 'language_select']];
const AUTHORSHIP: Widgets = [
  ['uid', 'entity_reference_autocomplete'],
  ['created', 'datetime_timestamp'],
];
const PLACE_AND_STATE: Widgets = [
  ['path', 'path'],
  ['status', 'boolean_checkbox'],
];

/** The elements of every form of an entity type before and after its fields. */
const BASE_WIDGETS: Readonly<Partial<Record<EntityType, { readonly first: Widgets; readonly last: Widgets }>>> = {
  node: {
    first: [['title', 'string_textfield']],
    last: [
      ...LANGUAGE,
      ...AUTHORSHIP,
      ['promote', 'boolean_checkbox'],
      ['sticky', 'boolean_checkbox'],
      ...PLACE_AND_STATE,
    ],
  },
  media: { first: [['name', 'string_textfield']], last: [...LANGUAGE, ...AUTHORSHIP, ...PLACE_AND_STATE] },
  taxonomy_term: {
    first: [
      ['name', 'string_textfield'],
      ['description', 'text_textarea'],
    ],
    last: [...LANGUAGE, ...PLACE_AND_STATE],
  },
};

/**
 * Returns the form of a bundle for `/entity/entity_form_display/{type}.{bundle}.default`. Its dependencies list all fields,
 * including hidden ones: clients read the fields of a bundle here.
 */
export function formDisplayJson(bundle: Bundle, source: ConfigSource): JsonObject {
  const { model, fieldTypes } = source;
  const { entityType, name, fields } = bundle;
  const id = `${entityType}.${name}.default`;
  const hidden = autoFilledFields(model.mediaTypes.get(name), entityType);
  const shown = fields.filter((field) => !hidden.has(field.name));
  const { first, last } = BASE_WIDGETS[entityType] ?? { first: [], last: [] };
  const ofFields: Widgets = shown.map((field) => [field.name, widgetIn(bundle, field, source)]);
  const content = [...first, ...ofFields, ...last].map(([component, type], weight) => [
    component,
    { type, weight, region: 'content', settings: {}, third_party_settings: {} },
  ]);
  return {
    uuid: configUuid('entity_form_display', id),
    langcode: model.defaultLanguage,
    status: true,
    dependencies: dependencies(
      [referenceTo(bundle), ...fields.map((field) => `field.field.${entityType}.${name}.${field.name}`)],
      shown.map((field) => fieldTypes.of(field).module),
    ),
    id,
    targetEntityType: entityType,
    bundle: name,
    mode: 'default',
    content: Object.fromEntries(content),
    hidden: Object.fromEntries([...hidden].map((field) => [field, true])),
  };
}

/** Returns the hidden fields, which are filled from the file. The field of its text is editable. */
function autoFilledFields(mediaType: MediaType | undefined, entityType: EntityType): ReadonlySet<string> {
  if (entityType !== 'media' || mediaType === undefined) return new Set();
  const filled = [...mediaType.autoFilled].filter(([attribute]) => attribute !== 'content').map(([, field]) => field);
  return new Set(filled.filter((field) => mediaType.fieldNamed.has(field)));
}

function widgetIn({ entityType, name }: Bundle, field: FieldDefinition, { model, fieldTypes }: ConfigSource): string {
  const mediaType = entityType === 'media' ? model.mediaTypes.get(name) : undefined;
  const isAddress = mediaType?.source === 'remote_video' && mediaType.sourceField.name === field.name;
  return isAddress ? 'oembed_textfield' : fieldTypes.of(field).widget;
}
