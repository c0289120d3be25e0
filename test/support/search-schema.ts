import { expect } from 'bun:test';
import { Type as t } from '@sinclair/typebox';
import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import { line } from './presentation-schema.ts';
import type { EntityJson } from './test-repository.ts';

/** Answers of searches within an item, as the Content Search API 2.0 describes them. No other members are allowed. */

const closed = { additionalProperties: false };
const uri = t.String({ format: 'uri' });
const pageReference = t.Object({ id: uri, type: t.Literal('AnnotationPage') }, closed);
const quote = t.Object(
  {
    type: t.Literal('SpecificResource'),
    source: uri,
    selector: t.Array(
      t.Object(
        {
          type: t.Literal('TextQuoteSelector'),
          prefix: t.Optional(t.String({ minLength: 1 })),
          exact: t.String({ minLength: 1 }),
          suffix: t.Optional(t.String({ minLength: 1 })),
        },
        closed,
      ),
      { minItems: 1, maxItems: 1 },
    ),
  },
  closed,
);
const match = t.Object(
  {
    id: uri,
    type: t.Literal('Annotation'),
    motivation: t.Union([t.Literal('contextualizing'), t.Literal('highlighting')]),
    target: t.Union([quote, t.Array(quote, { minItems: 2 })]),
  },
  closed,
);
const collection = { id: uri, type: t.Literal('AnnotationCollection') };
const answer = t.Object(
  {
    '@context': t.Tuple([
      t.Literal('http://iiif.io/api/presentation/3/context.json'),
      t.Literal('http://iiif.io/api/search/2/context.json'),
    ]),
    id: uri,
    type: t.Literal('AnnotationPage'),
    partOf: t.Optional(t.Object({ ...collection, first: pageReference, last: pageReference }, closed)),
    next: t.Optional(pageReference),
    prev: t.Optional(pageReference),
    ignored: t.Optional(t.Array(t.String(), { minItems: 1, uniqueItems: true })),
    items: t.Array(line),
    annotations: t.Optional(
      t.Array(
        t.Object(
          {
            type: t.Literal('AnnotationPage'),
            partOf: t.Optional(t.Object(collection, closed)),
            items: t.Array(match, { minItems: 1 }),
          },
          closed,
        ),
        { minItems: 1, maxItems: 1 },
      ),
    ),
  },
  closed,
);

const validate = addFormats(new Ajv({ strict: false })).compile(answer);

/** Fails unless an answer is valid, with a distinct id for each annotation, and a source for each match. Returns it. */
export function expectValidSearch(found: EntityJson): EntityJson {
  validate(found);
  expect(validate.errors ?? []).toEqual([]);
  const ids = found.items.map(({ id }: EntityJson) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const targets = (found.annotations ?? []).flatMap(({ items }: EntityJson) =>
    items.flatMap(({ target }: EntityJson) => target),
  );
  for (const { source } of targets) expect(ids).toContain(source);
  return found;
}
