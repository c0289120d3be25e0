import { Type as t } from '@sinclair/typebox';
import { closed } from '../../field-types/schemas.ts';
import { PAGES_TYPE } from '../../jobs/find-required.ts';
import { listOfOne, namedSchema } from '../../web/openapi/components.ts';
import {
  DELETED,
  type Description,
  GRAPH_TYPE,
  JSON_TYPE,
  READ_CONDITIONS,
  type ResponseDescription,
  versioned,
  WRITE_CONDITIONS,
} from '../../web/openapi/describe.ts';
import { CONTENT_HEADERS, type HeaderName } from '../../web/openapi/headers.ts';
import { graphNodes } from '../content/content-schemas.ts';

export const fileSchema = namedSchema('File', (components) => {
  const words = listOfOne(components.itemOf('string'));
  const whole = listOfOne(components.itemOf('integer'));
  const moment = listOfOne(components.itemOf('created'));
  return closed({
    fid: whole,
    uuid: listOfOne(components.itemOf('uuid')),
    langcode: words,
    uid: listOfOne(components.itemOf('entity_reference', { targetType: 'user' })),
    filename: words,
    uri: listOfOne(closed({ value: t.String(), url: t.String({ description: 'The path of the bytes.' }) })),
    filemime: words,
    filesize: whole,
    status: listOfOne(components.itemOf('boolean')),
    created: moment,
    changed: moment,
  });
});

const fileGraphSchema = namedSchema(
  'FileGraph',
  closed({ '@graph': graphNodes, uri: t.Array(closed({ value: t.String({ format: 'uri' }) })) }),
);

const bytes = t.Unsafe({ description: 'Bytes.' });
/** The access rule for the record and the bytes of a file. */
const WHO_MAY_READ =
  'A caller may read a file if the caller may view a media, a node or other content that refers to it, in every scheme. A file without references may be read by its owner and by callers who may delete any file.';
const digests = {
  'Content-Digest': t.Optional(
    t.String({ description: 'The SHA-256 of the body (RFC 9530). Another body returns 400.' }),
  ),
  'Repr-Digest': t.Optional(t.String({ description: 'Equivalent to Content-Digest.' })),
};

export const readFile: Description = {
  operationId: 'getFile',
  tag: 'files',
  summary: 'Read the record of a file',
  description: WHO_MAY_READ,
  headers: READ_CONDITIONS,
  responses: versioned('The record.', { [JSON_TYPE]: fileSchema, [GRAPH_TYPE]: fileGraphSchema }, ['Link']),
  failures: [403, 404, 412],
};

export const deleteFile: Description = {
  operationId: 'deleteFile',
  tag: 'files',
  summary: 'Delete a file and its bytes',
  description: 'References to it are removed.',
  headers: WRITE_CONDITIONS,
  responses: DELETED,
  failures: [403, 404, 409, 412, 507],
};

export const createFile: Description = {
  operationId: 'createFile',
  tag: 'files',
  summary: 'Not supported: returns 403',
  description: 'Create files by an upload, or by a PUT to a node.',
  responses: {},
  failures: [403],
};

export const uploadFile: Description = {
  operationId: 'uploadFile',
  tag: 'files',
  summary: 'Upload the bytes of a file for a field',
  description: 'The file is temporary until an entity refers to it.',
  headers: t.Object({
    'Content-Disposition': t.String({ description: 'Such as `file; filename="page.png"`.' }),
    ...digests,
  }),
  stream: { 'application/octet-stream': bytes },
  responses: { 201: { description: 'The file.', headers: CONTENT_HEADERS, content: { [JSON_TYPE]: fileSchema } } },
  failures: [403, 404, 408, 413, 422, 507],
};

const DOWNLOAD_HEADERS: readonly HeaderName[] = [
  'Accept-Ranges',
  'Cache-Control',
  'Content-Disposition',
  'Content-Security-Policy',
  'ETag',
  'Last-Modified',
  'Repr-Digest',
  'Vary',
  'X-Content-Type-Options',
];

function download(operationId: string, summary: string): Description {
  const content = { '*/*': bytes };
  return {
    operationId,
    tag: 'files',
    summary,
    description: `The path may contain slashes. The Content-Type is that of the file. ${WHO_MAY_READ}`,
    headers: t.Object({
      Range: t.Optional(t.String({ description: 'One range of bytes, such as `bytes=0-99`.' })),
      'If-Range': t.Optional(
        t.String({ description: 'The ETag or the date of the version that the range belongs to.' }),
      ),
      ...READ_CONDITIONS.properties,
    }),
    responses: {
      200: { description: 'The whole file.', headers: DOWNLOAD_HEADERS, content },
      206: {
        description: 'The requested range.',
        headers: [...DOWNLOAD_HEADERS, 'Content-Range'],
        content,
      },
      304: { description: 'The caller has this version.', headers: DOWNLOAD_HEADERS },
      307: {
        description: 'The address of the file in a bucket, valid for a few minutes.',
        headers: ['Location', 'Cache-Control', 'Vary'],
      },
    },
    failures: [403, 404, 412, 416],
  };
}

export const publicBytes = download('getPublicFile', 'Download a file of the scheme public');
export const privateBytes = download('getPrivateFile', 'Download a file of the scheme private');
export const schemeBytes = download('getSchemeFile', 'Download a file of another scheme');

export const pagesOfNode: Description = {
  operationId: 'getNodePages',
  tag: 'files',
  summary: 'Download the page images of a node',
  description:
    'A tar archive with the Service File of each member, or else its Original File, in the order of the members. It contains only files that the caller may read. An interrupted response lacks the end-of-archive marker.',
  responses: {
    200: {
      description: 'The archive. Empty without pages.',
      headers: ['Cache-Control', 'Content-Disposition', 'Vary', 'X-Content-Type-Options'],
      content: { [PAGES_TYPE]: bytes },
    },
  },
  failures: [403, 404],
};

const REPLACED: ResponseDescription = {
  description:
    'The bytes are replaced. Texts and derivatives of the previous bytes are no longer served; X-Repo-Notice names those that persons have edited.',
  headers: ['X-Content-Type-Options', 'X-Repo-Notice'],
};

export const putToNode: Description = {
  operationId: 'putNodeMedia',
  tag: 'files',
  summary: 'Store a file as a media of a node',
  description: "Replaces the file of the node's media with this use (204), or creates a file and a media (201).",
  headers: t.Object({
    'Content-Location': t.Optional(
      t.String({ description: 'The URI of a new file, such as `public://letters/page.png`. Required to create one.' }),
    ),
    ...digests,
    ...WRITE_CONDITIONS.properties,
  }),
  stream: { '*/*': bytes },
  responses: {
    201: { description: 'File and media are created.', headers: ['X-Content-Type-Options', 'Location'] },
    204: REPLACED,
  },
  failures: [403, 404, 408, 409, 412, 413, 422, 507],
};

export const putSource: Description = {
  operationId: 'putMediaSource',
  tag: 'files',
  summary: 'Replace the file of a media',
  description: 'Requires the same access as a PATCH of the media.',
  headers: t.Object({ ...digests, ...WRITE_CONDITIONS.properties }),
  stream: { '*/*': bytes },
  responses: { 204: REPLACED },
  failures: [403, 404, 408, 409, 412, 413, 422, 507],
};
