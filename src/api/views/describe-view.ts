import { Type as t } from '@sinclair/typebox';
import { closed, text } from '../../field-types/schemas.ts';
import type { ExposedFilter, View, ViewType } from '../../model/content-model.ts';
import { JSON_TYPE, listOf } from '../openapi/answers.ts';
import type { NamedShape } from '../openapi/components.ts';
import type { Description } from '../openapi/describe.ts';
import { CONTENT_HEADERS } from '../openapi/headers.ts';

const SHAPES: Readonly<Record<ViewType, NamedShape>> = { node: 'Node', media: 'Media', taxonomy_term: 'TaxonomyTerm' };

/** A list that the site has configured for itself. */
export function describeView(view: View): Description {
  const { name, fields, entityType, pageSize } = view;
  return {
    operationId: `view_${name}`,
    tag: 'lists',
    summary: `The list ${name} of this site`,
    description:
      pageSize === undefined
        ? 'The whole list, or one page of 50.'
        : `A page of ${pageSize}, the first if none is named.`,
    responses: fields === undefined ? listOf(SHAPES[entityType]) : listOfTexts(fields.map((field) => field.text)),
    failures: [403],
  };
}

/** Returns the JSON Schema of what a filter takes. */
export function shownFilter({ field, operator, isRequired }: ExposedFilter): Readonly<Record<string, unknown>> {
  const words = { equals: 'is this', contains: 'contains this', starts: 'begins with this' }[operator];
  const description = `${field.text} ${words}.${isRequired ? ' Without it the list is empty.' : ''}`;
  return { type: field.kind === 'boolean' || field.kind === 'number' ? field.kind : 'string', description };
}

function listOfTexts(names: readonly string[]) {
  const entry = closed(Object.fromEntries(names.map((name) => [name, text])));
  const content = { [JSON_TYPE]: t.Array(entry) };
  return { 200: { description: 'The entries that the caller may see.', headers: CONTENT_HEADERS, content } };
}
