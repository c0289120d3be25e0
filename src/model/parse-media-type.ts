import type { Static } from '@sinclair/typebox';
import { nameOf } from '../base/check-shape.ts';
import type { ConfigReader } from '../base/config-reader.ts';
import {
  type Bundle,
  type FieldDefinition,
  type MediaType,
  SOURCE_ATTRIBUTES,
  type SourceAttribute,
} from './content-model.ts';
import type { FieldScope } from './field-facts.ts';
import { MediaTypeSchema } from './model-schema.ts';
import { type BundleFile, parseBundle, reportMissingField } from './parse-bundle.ts';

type MediaSource = MediaType['source'];

const SOURCE_FIELD_TYPE: Readonly<Record<MediaSource, string>> = {
  image: 'image',
  audio_file: 'file',
  video_file: 'file',
  file: 'file',
  remote_video: 'string',
};

const FILE_ATTRIBUTES: readonly SourceAttribute[] = ['name', 'mimetype', 'filesize'];
const ATTRIBUTES_OF: Readonly<Record<MediaSource, readonly SourceAttribute[]>> = {
  image: [...FILE_ATTRIBUTES, 'width', 'height'],
  audio_file: FILE_ATTRIBUTES,
  video_file: FILE_ATTRIBUTES,
  file: [...FILE_ATTRIBUTES, 'content'],
  remote_video: ['name'],
};

const TEXT: readonly string[] = ['string', 'string_long'];
const FITTING_TYPES: Readonly<Record<SourceAttribute, readonly string[]>> = {
  name: TEXT,
  mimetype: TEXT,
  filesize: ['integer'],
  width: ['integer'],
  height: ['integer'],
  content: ['text_long', 'text_with_summary', 'string_long'],
};

/** Reads a media type. Reports an invalid source and returns undefined. */
export function parseMediaType(
  reader: ConfigReader,
  scope: FieldScope,
  name: string,
  value: unknown,
  path: string[],
): MediaType | undefined {
  const file: Partial<Static<typeof MediaTypeSchema>> = reader.map(MediaTypeSchema, value, path);
  const bundle = parseBundle(reader, scope, 'media', name, file as BundleFile, [...path, 'fields']);
  const source = file.source as MediaSource | undefined;
  if (source === undefined || file.source_field === undefined) return undefined;
  const sourceField = findSourceField(reader, bundle, source, file.source_field, path);
  const autoFilled = new Map<SourceAttribute, string>();
  for (const [attribute, field] of Object.entries(file.auto_filled ?? {})) {
    const known = checkAutoFilled(reader, bundle, source, attribute, field, [...path, 'auto_filled', attribute]);
    if (known !== undefined) autoFilled.set(known, field);
  }
  return sourceField && { ...bundle, source, sourceField, autoFilled };
}

function findSourceField(
  reader: ConfigReader,
  bundle: Bundle,
  source: MediaSource,
  name: string,
  path: string[],
): FieldDefinition | undefined {
  const field = bundle.fieldNamed.get(name);
  const fieldPath = [...path, 'fields', name];
  if (field === undefined) {
    reportMissingField(reader, bundle, name, [...path, 'source_field'], fieldPath);
    return undefined;
  }
  const type = SOURCE_FIELD_TYPE[source];
  if (field.type !== type) {
    const at = [...fieldPath, 'type'];
    const sourcePath = [...path, 'source'];
    // The report names the setting of the user's file, which the user can correct.
    if (reader.isBuiltIn(at) && !reader.isBuiltIn(sourcePath)) {
      reader.report(sourcePath, `${nameOf(sourcePath)}: ${source} needs a ${type} field, but ${name} is ${field.type}`);
    } else {
      reader.report(at, `${nameOf(at)} must be ${type}: it holds the source ${source}, found ${field.type}`);
    }
  }
  if (!field.required) {
    const at = [...fieldPath, 'required'];
    reader.report(at, `${nameOf(at)} must be true: a media needs its source`);
  }
  if (field.cardinality !== 1) {
    const at = [...fieldPath, 'cardinality'];
    reader.report(at, `${nameOf(at)} must be 1: a media has one source`);
  }
  return field;
}

function checkAutoFilled(
  reader: ConfigReader,
  bundle: Bundle,
  source: MediaSource,
  attribute: string,
  fieldName: string,
  path: string[],
): SourceAttribute | undefined {
  const known = SOURCE_ATTRIBUTES.find((name) => name === attribute);
  if (known === undefined || !ATTRIBUTES_OF[source].includes(known)) {
    const possible = ATTRIBUTES_OF[source].join(', ');
    reader.report(path, `${nameOf(path)}: a source ${source} has no ${attribute}; it has ${possible}`);
    return undefined;
  }
  if (known === 'name' && fieldName === 'name') return known;
  const field = bundle.fieldNamed.get(fieldName);
  if (field === undefined) {
    reportMissingField(reader, bundle, fieldName, path, [...path.slice(0, 2), 'fields', fieldName]);
  } else if (!FITTING_TYPES[known].includes(field.type)) {
    const fitting = FITTING_TYPES[known].join(' or ');
    reader.report(path, `${nameOf(path)} must name a field of type ${fitting}; ${fieldName} is ${field.type}`);
  } else return known;
  return undefined;
}
