import type { Static } from '@sinclair/typebox';
import { nameOf } from '../base/check-shape.ts';
import type { DefaultTerm, Vocabulary } from './content-model.ts';
import type { FieldScope } from './field-facts.ts';
import { VocabularySchema } from './model-schema.ts';
import { type BundleFile, parseBundle } from './parse-bundle.ts';
import { reportMissingField } from './parse-media-type.ts';
import { parseTerms } from './parse-terms.ts';
import type { Reading } from './reading.ts';

const URI_FIELD_TYPES = { field_external_uri: 'link', field_authority_link: 'authority_link' } as const;

/** Reads a vocabulary and, from `terms`, what it starts with. */
export function parseVocabulary(
  reading: Reading,
  scope: FieldScope,
  name: string,
  value: unknown,
  path: string[],
  terms: Readonly<Record<string, unknown>>,
): Vocabulary {
  const file: Partial<Static<typeof VocabularySchema>> = reading.checkedMap(VocabularySchema, value, path);
  const bundle = parseBundle(reading, scope, 'taxonomy_term', name, file as BundleFile, [...path, 'fields']);
  const uriField = file.uri_field as Vocabulary['uriField'];
  if (uriField !== undefined) checkUriField(uriField);
  const readTerms = Object.hasOwn(terms, name)
    ? parseTerms(reading, { ...bundle, uriField }, terms[name], ['terms', name])
    : (): DefaultTerm[] => [];
  return {
    ...bundle,
    uriField,
    get terms() {
      return readTerms();
    },
  };

  function checkUriField(fieldName: keyof typeof URI_FIELD_TYPES): void {
    const at = [...path, 'uri_field'];
    const fieldPath = [...path, 'fields', fieldName];
    const type = bundle.fieldNamed.get(fieldName)?.type;
    if (type === undefined) reportMissingField(reading, bundle, fieldName, at, fieldPath);
    else if (type !== URI_FIELD_TYPES[fieldName]) {
      const typePath = [...fieldPath, 'type'];
      const needed = URI_FIELD_TYPES[fieldName];
      reading.report(typePath, `${nameOf(typePath)} must be ${needed}, as it is the uri_field, found ${type}`);
    }
  }
}
