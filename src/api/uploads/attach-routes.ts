import type { UploadRow } from '../../database/schema/uploads.ts';
import { recordOf } from '../../http/request-log.ts';
import { filePath, paths } from '../../paths.ts';
import { type AttachOutcome, attachUpload } from '../../repository/uploads/attach-upload.ts';
import type { ApiServices } from '../../web/api-services.ts';
import { type AttachBody, attachBody, attachedSchema } from '../../web/attach-body.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { answered, describe } from '../../web/openapi/describe.ts';
import { readTarget, referenceTo } from '../../web/read-target.ts';
import { json } from '../../web/respond.ts';
import { findUploadOr404, uploadParams } from './find-upload-or-404.ts';
import { readFilename } from './tus-headers.ts';

/** The route that makes a file of a complete upload. */
export const attachRoutes = (api: ApiServices) =>
  resource(api).post(paths.uploadAttach, async ({ call, body }) => attach(call, body), {
    check: { json: true, access: findUploadOr404 },
    params: uploadParams,
    body: attachBody,
    detail: describe({
      operationId: 'attachUpload',
      tag: 'files',
      summary: 'Make a file of a complete upload',
      description:
        'Adds the file to a node, creates an item with it, replaces the file of a media, or adds a track. Repeating the request returns the same answer, and creates nothing twice.',
      isForAnyone: false,
      responses: answered('The media, or the files with the same bytes.', attachedSchema),
      failures: [403, 404, 409, 413, 422, 507],
    }),
  });

async function attach(call: Call, body: AttachBody): Promise<Response> {
  const { api, actor, request } = call;
  const upload = named(await findUploadOr404(call), body.filename);
  const target = await readTarget(call, upload.filename, body);
  // Joining the parts of a large file takes longer than the idle timeout.
  recordOf(request).allowSilence();
  const outcome = await attachUpload(api, {
    actor,
    upload,
    target,
    sha256: body.sha256?.toLowerCase(),
    asksForDuplicates: body.if_duplicate === 'ask',
    // Goes on if the client gives up waiting: its next request then gets the result.
    signal: new AbortController().signal,
  });
  return json(JSON.stringify(outcomeJson(call, upload, outcome)));
}

/** Returns an upload with the name that a request gives its file, if it gives one. Throws `malformed` for control characters. */
function named(upload: UploadRow, name: string | undefined): UploadRow {
  return name === undefined ? upload : { ...upload, filename: readFilename(name) || upload.filename };
}

function outcomeJson(call: Call, { bytes }: UploadRow, { sha256, attached, duplicates }: AttachOutcome) {
  const { baseUrl } = call;
  return {
    state: attached === undefined ? 'duplicate' : 'attached',
    sha256,
    bytes,
    ...(attached && { media: referenceTo(call, 'media', attached.mediaId) }),
    ...(attached?.nodeId && { node: referenceTo(call, 'node', attached.nodeId) }),
    ...(call.notices.length > 0 && { notices: call.notices }),
    duplicates: duplicates.map(({ fileId, uri, filename, mediaId, node }) => ({
      name: filename,
      file: { id: fileId, url: `${baseUrl}${filePath(uri)}` },
      ...(mediaId && { media: referenceTo(call, 'media', mediaId) }),
      ...(node && { node: { ...referenceTo(call, 'node', node.head.id), title: titleIn(node.document) } }),
    })),
  };
}

function titleIn(document: string): string {
  return String((JSON.parse(document) as { title?: { value?: unknown }[] }).title?.[0]?.value ?? '');
}
