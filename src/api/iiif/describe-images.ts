import { Type as t } from '@sinclair/typebox';
import { type Description, JSON_TYPE, READ_CONDITIONS } from '../../web/openapi/describe.ts';
import type { HeaderName } from '../../web/openapi/headers.ts';

const image = t.Unsafe({ description: 'An image.' });
const HEADERS: readonly HeaderName[] = [
  'Cache-Control',
  'ETag',
  'Last-Modified',
  'Link',
  'Vary',
  'X-Content-Type-Options',
];

export const base: Description = {
  operationId: 'getImage',
  tag: 'files',
  summary: 'Redirect to the description of an image',
  description: 'The base address of the IIIF Image API 3.0 for the image of a media.',
  responses: {
    303: { description: 'The address of `info.json`.', headers: ['Location', 'Cache-Control', 'Vary'] },
  },
  failures: [403, 404],
};

export const request: Description = {
  operationId: 'getImageRequest',
  tag: 'files',
  summary: 'Read the description, a region or a tile of an image',
  description:
    'IIIF Image API 3.0, level 2; level 0 where vips is not installed. The path is `info.json`, or REGION/SIZE/ROTATION/QUALITY.FORMAT such as `full/max/0/default.jpg`. A caller who may view the media may read its image.',
  headers: READ_CONDITIONS,
  responses: {
    200: {
      description: 'The description or the image.',
      headers: HEADERS,
      content: {
        [JSON_TYPE]: t.Object(
          { id: t.String(), width: t.Integer(), height: t.Integer() },
          { additionalProperties: true },
        ),
        'application/ld+json': t.Object({ id: t.String() }, { additionalProperties: true }),
        'image/jpeg': image,
        'image/png': image,
        'image/webp': image,
      },
    },
    304: { description: 'The caller has this version.', headers: HEADERS },
  },
  failures: [403, 404, 412],
};
