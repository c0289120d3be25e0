import { expect } from 'bun:test';
import { Type as t } from '@sinclair/typebox';
import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import type { EntityJson } from './test-repository.ts';

/** The resources of the IIIF Change Discovery API 1.0 that the repository has. No other members are allowed. */

const closed = { additionalProperties: false };
const uri = t.String({ format: 'uri', pattern: '^https?://' });
const context = { '@context': t.Literal('http://iiif.io/api/discovery/1/context.json'), id: uri };
const reference = t.Object({ id: uri, type: t.Literal('OrderedCollectionPage') }, closed);
const activity = t.Object(
  {
    type: t.Union([t.Literal('Create'), t.Literal('Update'), t.Literal('Delete')]),
    object: t.Object({ id: uri, type: t.Union([t.Literal('Manifest'), t.Literal('Collection')]) }, closed),
    endTime: t.String({ format: 'date-time', pattern: 'Z$' }),
  },
  closed,
);
const SCHEMAS: Readonly<Record<string, ReturnType<typeof t.Object> | ReturnType<typeof t.Union>>> = {
  OrderedCollection: t.Union([
    t.Object({ ...context, type: t.String(), first: reference, last: reference }, closed),
    t.Object({ ...context, type: t.String(), totalItems: t.Literal(0) }, closed),
  ]),
  OrderedCollectionPage: t.Object(
    {
      ...context,
      type: t.String(),
      partOf: t.Object({ id: uri, type: t.Literal('OrderedCollection') }, closed),
      prev: t.Optional(reference),
      next: t.Optional(reference),
      orderedItems: t.Array(activity, { minItems: 1 }),
    },
    closed,
  ),
};
const ajv = addFormats(new Ajv({ strict: false }));
const validators = Object.fromEntries(Object.entries(SCHEMAS).map(([type, schema]) => [type, ajv.compile(schema)]));

/** Fails unless a resource is valid. Returns it. */
export function expectActivities(found: EntityJson): EntityJson {
  const validate = validators[found.type];
  expect(validate).toBeDefined();
  validate?.(found);
  expect(validate?.errors ?? []).toEqual([]);
  return found;
}
