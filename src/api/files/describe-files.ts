import { Type as t } from '@sinclair/typebox';
import { PAGES_TYPE } from '../../jobs/find-wanted.ts';
import {
  GRAPH_TYPE,
  JSON_TYPE,
  jsonOf,
  nothing,
  READ_CONDITIONS,
  versioned,
  WRITE_CONDITIONS,
} from '../openapi/answers.ts';
import { shape } from '../openapi/components.ts';
import type { Description } from '../openapi/describe.ts';
import { CONTENT_HEADERS, type HeaderName } from '../openapi/headers.ts';

/** Records of files, their bytes, and uploads. */

const bytes = t.Unsafe({ description: 'Bytes.' });
/** The access rule for the record and for the bytes of a file. */
const WHO_MAY_READ =
  'Callers may read a file if they may view a media, a node or other content that refers to it, in every scheme. A file that nothing refers to is for its owner and for those who may delete any file.';
const digests = {
  'Content-Digest': t.Optional(t.String({ description: 'The SHA-256 that the body must have (RFC 9530).' })),
  'Repr-Digest': t.Optional(t.String({ description: 'The same.' })),
};

export const readFile: Description = {
  operationId: 'getFile',
  tag: 'files',
  summary: 'Read the record of a file',
  description: WHO_MAY_READ,
  headers: READ_CONDITIONS,
  responses: versioned('What is known of the file.', { [JSON_TYPE]: shape('File'), [GRAPH_TYPE]: shape('FileGraph') }, [
    'Link',
  ]),
  failures: [403, 404, 412],
};

export const deleteFile: Description = {
  operationId: 'deleteFile',
  tag: 'files',
  summary: 'Delete a file and its bytes',
  description: 'What refers to it loses that reference.',
  headers: WRITE_CONDITIONS,
  responses: { 204: nothing('It is gone.') },
  failures: [403, 404, 409, 412, 507],
};

export const createFile: Description = {
  operationId: 'createFile',
  tag: 'files',
  summary: 'Refused to everyone',
  description: 'Files are made by an upload, or by a PUT to a node.',
  responses: {},
  failures: [403],
};

export const uploadFile: Description = {
  operationId: 'uploadFile',
  tag: 'files',
  summary: 'Upload the bytes of a file for a field',
  description: 'The file is temporary until something refers to it.',
  headers: t.Object({
    'Content-Disposition': t.String({ description: 'As `file; filename="page.png"`.' }),
    ...digests,
  }),
  stream: { 'application/octet-stream': bytes },
  responses: { 201: { description: 'The file.', headers: CONTENT_HEADERS, content: jsonOf('File') } },
  failures: [403, 404, 408, 413, 422, 507],
};

const DOWNLOAD_HEADERS: readonly HeaderName[] = [
  ...(['Accept-Ranges', 'Cache-Control', 'Content-Disposition', 'Content-Security-Policy', 'ETag'] as const),
  ...(['Last-Modified', 'Repr-Digest', 'Vary', 'X-Content-Type-Options'] as const),
];

/** The bytes at one of the addresses of files. */
function download(operationId: string, summary: string): Description {
  const content = { '*/*': bytes };
  return {
    operationId,
    tag: 'files',
    summary,
    description: `The path may have slashes. The type is that of the file. ${WHO_MAY_READ}`,
    headers: t.Object({
      Range: t.Optional(t.String({ description: 'One range of bytes, as `bytes=0-99`.' })),
      'If-Range': t.Optional(t.String({ description: 'The ETag or the date for which the range is meant.' })),
      ...READ_CONDITIONS.properties,
    }),
    responses: {
      200: { description: 'The whole file.', headers: DOWNLOAD_HEADERS, content },
      206: {
        description: 'The part that was asked for.',
        headers: [...DOWNLOAD_HEADERS, 'Content-Range'],
        content,
      },
      304: { description: 'The caller has this version.', headers: DOWNLOAD_HEADERS },
      307: {
        description: 'The file is in a store that hands it out itself: the address is good for a few minutes.',
        headers: ['Location', 'Cache-Control', 'Vary'],
      },
    },
    failures: [403, 404, 412, 416],
  };
}

export const publicBytes = download('getPublicFile', 'Fetch a file of the scheme public');
export const privateBytes = download('getPrivateFile', 'Fetch a file of the scheme private');
export const schemeBytes = download('getSchemeFile', 'Fetch a file of another scheme');

export const pagesOfNode: Description = {
  operationId: 'getNodePages',
  tag: 'files',
  summary: 'Fetch the page images of a node',
  description:
    'A tar archive of the files that the caller may read: of each member its Service File, or else its Original File, in the order of the members. An interrupted answer lacks the end-of-archive marker.',
  responses: {
    200: {
      description: 'The archive; without an entry if there are no pages.',
      headers: ['Cache-Control', 'Content-Disposition', 'Vary', 'X-Content-Type-Options'],
      content: { [PAGES_TYPE]: bytes },
    },
  },
  failures: [403, 404],
};

export const putToNode: Description = {
  operationId: 'putNodeMedia',
  tag: 'files',
  summary: 'Store a file as a media of a node',
  description:
    'Where the node has a media for this use already, its bytes are replaced (204); otherwise a file and a media are made (201).',
  headers: t.Object({
    'Content-Location': t.Optional(
      t.String({ description: 'Where it is kept, as `public://letters/page.png`. Needed to make one.' }),
    ),
    ...digests,
    ...WRITE_CONDITIONS.properties,
  }),
  stream: { '*/*': bytes },
  responses: {
    201: { description: 'File and media are made.', headers: ['X-Content-Type-Options', 'Location'] },
    204: nothing('The bytes are replaced.'),
  },
  failures: [403, 404, 408, 409, 412, 413, 422, 507],
};

export const putSource: Description = {
  operationId: 'putMediaSource',
  tag: 'files',
  summary: 'Replace the file of a media',
  description: 'Needs the access that a PATCH of the media needs.',
  headers: t.Object({ ...digests, ...WRITE_CONDITIONS.properties }),
  stream: { '*/*': bytes },
  responses: { 204: nothing('The bytes are replaced.') },
  failures: [403, 404, 408, 409, 412, 413, 422, 507],
};
