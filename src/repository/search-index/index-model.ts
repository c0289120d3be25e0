import { hash } from 'bun';
import type { FieldType, FieldTypes } from '../../field-types/field-type.ts';
import type { ContentModel, FieldDefinition } from '../../model/content-model.ts';
import type { Facet, FieldColumn } from '../../model/search-model.ts';

/** Changes when the program writes other rows for the same content: all indexes are then rebuilt. */
const FORMAT = 2;

/** A field that the index reads. */
interface IndexedField {
  readonly definition: FieldDefinition;
  readonly type: FieldType;
  readonly column: FieldColumn | 'text';
  /** True if its targets are terms, whose names are searched. */
  readonly hasTerms: boolean;
}

/** The part of the content model that the index depends on. */
export interface IndexModel {
  /** Differs between indexes that are not the same: format of the program, fields and facets. */
  readonly version: string;
  readonly fieldsOf: ReadonlyMap<string, readonly IndexedField[]>;
  readonly facets: readonly Facet[];
  readonly dates: readonly string[];
  /** The fields with the source files of media, as a JSON list. */
  readonly sourceFields: string;
}

export function createIndexModel({ nodeTypes, mediaTypes, search }: ContentModel, types: FieldTypes): IndexModel {
  const fieldsOf = new Map(
    Array.from(nodeTypes.values(), ({ name, fields }) => [
      name,
      fields.map((definition): IndexedField => {
        return {
          definition,
          type: types.of(definition),
          column: search.columnOf.get(definition.name) ?? 'text',
          hasTerms: definition.targetType === 'taxonomy_term',
        };
      }),
    ]),
  );
  const layout = Array.from(fieldsOf, ([bundle, fields]) => [bundle, fields.map(({ definition }) => definition)]);
  // Weights belong to a query.
  const text = JSON.stringify([[...search.columnOf], search.dates, search.facets, layout]);
  const version = `${FORMAT}.${hash.xxHash64(text).toString(16).padStart(16, '0')}`;
  const sourceFields = JSON.stringify([
    ...new Set(Array.from(mediaTypes.values(), ({ sourceField }) => sourceField.name)),
  ]);
  return { version, fieldsOf, facets: search.facets, dates: search.dates, sourceFields };
}
