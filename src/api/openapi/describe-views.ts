import { type TSchema, Type as t } from '@sinclair/typebox';
import type { ExposedFilter, View, ViewType } from '../../model/views.ts';
import type { RouteDescription } from '../route-description.ts';
import { JSON_TYPE, listOf, PAGE_QUERY } from './answers.ts';
import type { NamedShape } from './components.ts';
import { CONTENT_HEADERS } from './headers.ts';
import { closed, text } from './scalars.ts';

const SHAPES: Readonly<Record<ViewType, NamedShape>> = { node: 'Node', media: 'Media', taxonomy_term: 'TaxonomyTerm' };

/** A list that the site has configured for itself. */
export function describeView(view: View): RouteDescription {
  const { name, exposed, fields, entityType, pageSize } = view;
  const filters = exposed.map((filter): [string, TSchema] => [filter.parameter, t.Optional(parameterOf(filter))]);
  return {
    operationId: `view_${name}`,
    tag: 'lists',
    summary: `The list ${name} of this site`,
    description:
      pageSize === undefined
        ? 'The whole list, or one page of 50.'
        : `A page of ${pageSize}, the first if none is named.`,
    query: t.Object({ ...Object.fromEntries(filters), ...PAGE_QUERY }),
    responses: fields === undefined ? listOf(SHAPES[entityType]) : listOfTexts(fields.map((field) => field.text)),
    failures: [403],
  };
}

function parameterOf({ field, operator, isRequired }: ExposedFilter): TSchema {
  const words = { equals: 'is this', contains: 'contains this', starts: 'begins with this' }[operator];
  const description = `${field.text} ${words}.${isRequired ? ' Without it the list is empty.' : ''}`;
  if (field.kind === 'boolean') return t.Boolean({ description });
  if (field.kind === 'number') return t.Number({ description });
  return t.String({ description });
}

function listOfTexts(names: readonly string[]) {
  const entry = closed(Object.fromEntries(names.map((name) => [name, text])));
  const content = { [JSON_TYPE]: t.Array(entry) };
  return { 200: { description: 'The entries that the caller may see.', headers: CONTENT_HEADERS, content } };
}
