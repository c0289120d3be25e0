import { expect } from 'bun:test';
import { Validator } from '@hyperion-framework/validator';
import { Type as t } from '@sinclair/typebox';
import Ajv from 'ajv';
import addFormats from 'ajv-formats';

/**
 * The resources of the IIIF Presentation API 3.0 as JSON Schema, written after the text of the specification
 * (https://iiif.io/api/presentation/3.0/, 3 and 5) for the members that this program uses: any other member is an error.
 * The schema of the IIIF consortium, which @hyperion-framework/validator contains, allows other members, and is applied
 * too.
 */
const closed = { additionalProperties: false } as const;
const uri = t.String({ format: 'uri', pattern: '^https?://' });
const mediaType = t.String({ pattern: '^[a-z]+/[^;]+$' });
const words = t.Record(
  t.String({ pattern: '^(none|[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*)$' }),
  t.Array(t.String(), { minItems: 1 }),
  {
    ...closed,
    minProperties: 1,
  },
);
const pixels = t.Integer({ minimum: 1 });
const seconds = t.Number({ exclusiveMinimum: 0 });
const list = <T extends Parameters<typeof t.Array>[0]>(item: T) => t.Array(item, { minItems: 1 });
const optional = t.Optional;

const service = t.Object(
  { id: uri, type: t.Literal('ImageService3'), profile: t.Union([t.Literal('level0'), t.Literal('level2')]) },
  closed,
);
const picture = t.Object(
  {
    id: uri,
    type: t.Literal('Image'),
    format: mediaType,
    width: optional(pixels),
    height: optional(pixels),
    service: optional(list(service)),
  },
  closed,
);
const recording = t.Object(
  {
    id: uri,
    type: t.Union([t.Literal('Sound'), t.Literal('Video')]),
    format: mediaType,
    width: optional(pixels),
    height: optional(pixels),
    duration: seconds,
  },
  closed,
);
const pair = t.Object({ label: words, value: words }, closed);
const linked = (type: Parameters<typeof t.Literal>[0] | undefined) =>
  t.Object(
    {
      id: uri,
      type: type === undefined ? t.String({ pattern: '^[A-Z][A-Za-z]+$' }) : t.Literal(type),
      label: words,
      format: optional(mediaType),
      language: optional(t.Union([t.String(), t.Array(t.String())])),
    },
    closed,
  );
const reference = (...types: string[]) =>
  t.Object(
    { id: uri, type: t.Union(types.map((type) => t.Literal(type))), label: words, thumbnail: optional(list(picture)) },
    closed,
  );

const painting = t.Object(
  {
    id: uri,
    type: t.Literal('Annotation'),
    motivation: t.Literal('painting'),
    body: t.Union([picture, recording]),
    target: uri,
  },
  closed,
);
const caption = t.Object(
  {
    id: uri,
    type: t.Literal('Annotation'),
    motivation: t.Literal('supplementing'),
    body: linked('Text'),
    target: uri,
  },
  closed,
);
export const line = t.Object(
  {
    id: uri,
    type: t.Literal('Annotation'),
    motivation: t.Literal('supplementing'),
    body: t.Object(
      {
        type: t.Literal('TextualBody'),
        value: t.String({ minLength: 1 }),
        format: t.Literal('text/plain'),
        language: optional(t.String()),
      },
      closed,
    ),
    target: t.String({ pattern: '^https?://.+#xywh=\\d+,\\d+,[1-9]\\d*,[1-9]\\d*$' }),
  },
  closed,
);
const page = <T extends Parameters<typeof t.Array>[0]>(item: T) => ({
  id: uri,
  type: t.Literal('AnnotationPage'),
  items: t.Array(item),
});
const beside = t.Object(
  { id: uri, type: t.Literal('Canvas'), width: pixels, height: pixels, items: list(t.Object(page(painting), closed)) },
  closed,
);
const sized = { required: ['width', 'height'] };
const timed = { required: ['duration'] };
const canvas = t.Object(
  {
    id: uri,
    type: t.Literal('Canvas'),
    label: words,
    width: optional(pixels),
    height: optional(pixels),
    duration: optional(seconds),
    thumbnail: optional(list(picture)),
    rendering: optional(list(linked(undefined))),
    placeholderCanvas: optional(beside),
    accompanyingCanvas: optional(beside),
    items: list(t.Object(page(painting), closed)),
    annotations: optional(
      list(
        t.Union([t.Object(page(caption), closed), t.Object({ id: uri, type: t.Literal('AnnotationPage') }, closed)]),
      ),
    ),
  },
  { ...closed, anyOf: [sized, timed], dependentRequired: { width: ['height'], height: ['width'] } },
);
const provider = t.Object(
  {
    id: uri,
    type: t.Literal('Agent'),
    label: words,
    homepage: list(linked('Text')),
    logo: optional(list(picture)),
  },
  closed,
);
const described = {
  label: words,
  summary: optional(words),
  metadata: optional(list(pair)),
  rights: optional(
    t.String({ pattern: '^http://(creativecommons\\.org/(licenses|publicdomain)|rightsstatements\\.org/vocab)/' }),
  ),
  requiredStatement: optional(pair),
  navDate: optional(t.String({ format: 'date-time', pattern: 'Z$' })),
  provider: list(provider),
  homepage: list(linked('Text')),
  seeAlso: list(linked('Dataset')),
  partOf: optional(list(reference('Collection', 'Manifest'))),
};
/** The services that search a manifest, in the newer and in the older version. */
const searchServices = t.Tuple([
  t.Object(
    {
      '@context': t.Literal('http://iiif.io/api/search/2/context.json'),
      id: uri,
      type: t.Literal('SearchService2'),
      profile: t.Literal('http://iiif.io/api/search/2/search'),
    },
    closed,
  ),
  t.Object(
    {
      '@context': t.Literal('http://iiif.io/api/search/1/context.json'),
      '@id': uri,
      '@type': t.Literal('SearchService1'),
      profile: t.Literal('http://iiif.io/api/search/1/search'),
    },
    closed,
  ),
]);
const context = { '@context': t.Literal('http://iiif.io/api/presentation/3/context.json'), id: uri };
const SCHEMAS = {
  Manifest: t.Object(
    {
      ...context,
      type: t.Literal('Manifest'),
      ...described,
      thumbnail: optional(list(picture)),
      rendering: optional(list(linked(undefined))),
      service: optional(searchServices),
      behavior: optional(
        t.Array(t.Union([t.Literal('paged'), t.Literal('individuals')]), { minItems: 1, maxItems: 1 }),
      ),
      viewingDirection: optional(t.Literal('right-to-left')),
      items: list(canvas),
    },
    closed,
  ),
  Collection: t.Object(
    {
      ...context,
      type: t.Literal('Collection'),
      ...described,
      provider: optional(described.provider),
      homepage: optional(described.homepage),
      seeAlso: optional(described.seeAlso),
      thumbnail: optional(list(picture)),
      items: t.Array(reference('Manifest', 'Collection')),
    },
    closed,
  ),
  AnnotationPage: t.Object({ ...context, ...page(line) }, closed),
} as const;

const ajv = addFormats(new Ajv({ allErrors: false, strict: false }));
const validators = Object.fromEntries(Object.entries(SCHEMAS).map(([type, schema]) => [type, ajv.compile(schema)]));

const published = new Validator();

/** Fails unless a resource is valid. Returns it. */
export async function expectValid<Resource extends Record<string, unknown>>(resource: Resource): Promise<Resource> {
  const type = String(resource.type);
  expect(Object.keys(SCHEMAS)).toContain(type);
  const validate = validators[type];
  validate?.(resource);
  expect(validate?.errors ?? []).toEqual([]);
  const official = published.validators[type.charAt(0).toLowerCase() + type.slice(1)];
  if (official === undefined) throw new Error(`the published schema has no ${type}`);
  official(resource);
  expect(official.errors ?? []).toEqual([]);
  return resource;
}
