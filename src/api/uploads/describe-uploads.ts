import { Type as t } from '@sinclair/typebox';
import { closed } from '../../field-types/schemas.ts';
import { namedSchema } from '../../web/openapi/components.ts';
import { answered, type Description, type ResponseDescription } from '../../web/openapi/describe.ts';
import type { HeaderName } from '../../web/openapi/headers.ts';
import { PART_TYPE } from './tus-headers.ts';

const STATE: readonly HeaderName[] = [
  'Tus-Resumable',
  'Upload-Offset',
  'Upload-Length',
  'Upload-Expires',
  'Upload-Metadata',
];
const bytes = t.Unsafe({ description: 'Bytes.' });
const version = { 'Tus-Resumable': t.String({ description: 'Always `1.0.0`.' }) };
const noBody = (description: string, headers: readonly HeaderName[]): ResponseDescription => ({
  description,
  headers: ['Cache-Control', 'X-Content-Type-Options', ...headers],
});

const uploadSchema = namedSchema(
  'Upload',
  closed({
    id: t.String(),
    filename: t.String(),
    bytes: t.Integer({ minimum: 0, description: 'The length of the whole file.' }),
    received: t.Integer({ minimum: 0, description: 'The number of bytes received so far.' }),
    sha256: t.Union([t.String({ description: 'Lower-case hexadecimal.' }), t.Null()]),
    attached: t.Boolean({ description: 'True if a file was made of it.' }),
    expires: t.Integer({ description: 'When the upload is deleted, in seconds since 1970.' }),
  }),
);

export const createUpload: Description = {
  operationId: 'createUpload',
  tag: 'files',
  summary: 'Begin an upload in parts',
  description:
    'The tus protocol 1.0.0 with the extensions creation, creation-with-upload, termination and expiration. An upload is visible to its user only. It expires a week after its last part.',
  headers: t.Object({
    ...version,
    'Upload-Length': t.String({ description: 'The number of bytes of the file.' }),
    'Upload-Metadata': t.Optional(
      t.String({ description: '`filename`, and its base64; optionally `filetype`. HEAD returns it.' }),
    ),
  }),
  stream: { [PART_TYPE]: bytes },
  isForAnyone: false,
  responses: { 201: noBody('The upload.', ['Location', ...STATE]) },
  failures: [403, 408, 409, 412, 413, 429, 507],
};

export const readUpload: Description = {
  operationId: 'getUpload',
  tag: 'files',
  summary: 'Read how far an upload is',
  isForAnyone: false,
  responses: answered('The upload.', uploadSchema, STATE),
  failures: [403, 404, 412],
};

export const appendToUpload: Description = {
  operationId: 'appendToUpload',
  tag: 'files',
  summary: 'Append bytes to an upload',
  description:
    'All bytes that arrive are kept, also if the connection is lost: HEAD then returns the new Upload-Offset. A client that cannot send PATCH sends POST with `X-HTTP-Method-Override: PATCH`.',
  headers: t.Object({
    ...version,
    'Upload-Offset': t.String({ description: 'The number of bytes received so far. Another one returns 409.' }),
  }),
  stream: { [PART_TYPE]: bytes },
  responses: { 204: noBody('The bytes are stored.', STATE) },
  failures: [403, 404, 408, 409, 412, 413, 507],
};

export const deleteUpload: Description = {
  operationId: 'deleteUpload',
  tag: 'files',
  summary: 'Delete an upload and its parts',
  description: 'A file that was made of it remains.',
  headers: t.Object(version),
  responses: { 204: noBody('Deleted.', ['Tus-Resumable']) },
  failures: [403, 404, 412],
};
