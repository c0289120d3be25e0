import { Type as t } from '@sinclair/typebox';
import { malformed, ServiceError, unprocessable } from '../../base/errors.ts';
import { parseUploadName } from '../../http/content-disposition.ts';
import { viewEtag } from '../../http/etag.ts';
import { type Link, linkHeader } from '../../http/link-header.ts';
import { bundlesOf } from '../../model/bundles-of.ts';
import type { FieldDefinition } from '../../model/content-model.ts';
import { filePath, paths } from '../../paths.ts';
import { fileCreateAccess, nodeAccess } from '../../repository/access.ts';
import type { Access } from '../../repository/access-rule.ts';
import { withoutFilledTexts } from '../../repository/content/write/outdated.ts';
import { captionsProblemIn } from '../../repository/files/check-captions.ts';
import { insertFile, removeFile } from '../../repository/files/file-rows.ts';
import type { FileEntity } from '../../repository/files/find-file.ts';
import { withFreeUri } from '../../repository/files/free-uri.ts';
import { keepIf } from '../../repository/files/ingest.ts';
import { storeForNew } from '../../repository/files/scheme.ts';
import { uploadDestination } from '../../repository/files/upload-destination.ts';
import { CONTENT_ACCESS } from '../../repository/paragraph-access.ts';
import { writePending } from '../../repository/search-index/write-pending.ts';
import { userUploadAccess } from '../../repository/user-access.ts';
import { type CoreLinkReader, coreLinks } from '../../representation/core-links.ts';
import { fileJson } from '../../representation/file-json.ts';
import { fileJsonLd } from '../../representation/json-ld.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { fileParams, findFileOr404, removeAccess, viewAccess } from '../../web/find-file-or-404.ts';
import { GRAPH_FORMATS } from '../../web/formats.ts';
import { describe } from '../../web/openapi/describe.ts';
import { empty, json, representation, requireCurrent } from '../../web/respond.ts';
import * as described from './describe-files.ts';
import { receive } from './receive.ts';

const check = { resource: 'entity.file' };

/** Routes of the records of files, and of uploads before an entity refers to them (spec: rest-behaviour, 10). */
export const fileRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.file, async ({ call }) => show(call), {
      check: { ...check, formats: GRAPH_FORMATS },
      params: fileParams,
      detail: describe(described.readFile),
    })
    .delete(paths.file, async ({ call }) => remove(call), {
      check,
      params: fileParams,
      detail: describe(described.deleteFile),
    })
    .post(paths.files, async ({ call }) => refuseCreation(call), {
      check: { ...check, json: true, access: refuseCreation },
      body: t.Unknown(),
      detail: describe(described.createFile),
    })
    .post(paths.fileUpload, async ({ call }) => upload(call), {
      check: { resource: 'file.upload', accepts: 'application/octet-stream' },
      params: t.Object({
        entity_type_id: t.String({ description: 'node, media, taxonomy_term or user.' }),
        bundle: t.String({ description: 'Such as image.' }),
        field_name: t.String({ description: 'A field for files, such as field_media_image.' }),
      }),
      detail: describe(described.uploadFile),
    });

async function show(call: Call): Promise<Response> {
  const file = await findFileOr404(call);
  call.allow(await viewAccess(call, file.row));
  const { baseUrl, format, api } = call;
  const { allow_header_links: isExtended } = (await api.findSettings()).value;
  const may = () => removeAccess(call, file).isAllowed;
  const link = linkHeader(fileLinks(file, { baseUrl, offers: api.offers, may }, isExtended));
  const isGraph = format === 'jsonld';
  const body = isGraph ? fileJsonLd(file, baseUrl) : fileJson(file);
  const contentType = isGraph ? GRAPH_FORMATS.jsonld : undefined;
  return representation(call, {
    body,
    etag: fileEtag(file, `${body}${link}`),
    changed: file.row.changed,
    contentType,
    link,
  });
}

/** Returns the links of a file's record: the core link, and with `isExtended` those to its bytes and its graph. */
function fileLinks({ row }: FileEntity, reader: CoreLinkReader, isExtended: boolean): Link[] {
  const { baseUrl } = reader;
  const core = coreLinks({ type: 'file', id: row.id }, reader);
  if (!isExtended) return core;
  return [
    ...core,
    { href: baseUrl + filePath(row.uri), rel: 'item', type: row.filemime },
    { href: `${baseUrl}/entity/file/${row.id}?_format=jsonld`, rel: 'describedby', type: 'application/ld+json' },
  ];
}

/** Returns the ETag of a file's record, from its state and from the text of the representation. */
function fileEtag(file: FileEntity, seen: string): string {
  return viewEtag(fileJson(file), seen);
}

async function remove(call: Call): Promise<Response> {
  const { api } = call;
  const access = (file: FileEntity) => removeAccess(call, file);
  call.allow(access(await findFileOr404(call)));
  await removeFile(
    api.services,
    () => findFileOr404(call),
    (file) => {
      call.require(access(file));
      requireCurrent(call, () => fileEtag(file, ''), file.row.changed);
    },
    ({ row }) => withoutFilledTexts(api.services, api.kinds.media, row),
  );
  await writePending(api.services);
  return empty(204);
}

function refuseCreation(call: Call): never {
  call.allow(fileCreateAccess);
  throw new ServiceError('forbidden', '');
}

/** Stores a file for a field, before an entity refers to it (spec: rest-behaviour, 10.1). */
async function upload(call: Call): Promise<Response> {
  const { api, actor } = call;
  const { services } = api;
  const definition = fileField(call);
  call.allow(uploadAccess(call));
  const asked = parseUploadName(call.request.headers.get('content-disposition'));
  const destination = uploadDestination(services, definition, asked);
  if (destination === undefined)
    throw new ServiceError('misconfigured', 'The storage for this field is not configured.', {
      cause: `field ${definition.name} stores in ${definition.uriScheme}, which is not configured`,
    });
  const { uri, scheme } = destination;
  // Rejects a too large file before its body is read.
  checkBytes(definition, Number(call.request.headers.get('content-length') ?? 0));
  const ingested = await receive(call, storeForNew(services, scheme), undefined, true, limitOf(call, definition));
  const id = await keepIf(ingested, async () => {
    if (definition.mustBeImage && ingested.size === undefined) throw invalidFile('The file is not a valid image.');
    const { isTrack } = services.fields.types.of(definition);
    const badCaptions = isTrack ? await captionsProblemIn(ingested) : undefined;
    if (badCaptions !== undefined) throw invalidFile(badCaptions);
    return withFreeUri(services, { ingested, uri }, async (file) => {
      await services.database.write([insertFile(services, actor, file)]);
      return file.id;
    });
  });
  const saved = await api.findFile.byId(id);
  if (saved === undefined) throw malformed('Another request deleted the file.');
  return json(fileJson(saved), 201);
}

function checkBytes({ maxFileBytes }: FieldDefinition, bytes: number): void {
  if (maxFileBytes === undefined || bytes <= maxFileBytes) return;
  throw invalidFile(`The file is ${bytes} bytes exceeding the maximum file size of ${maxFileBytes} bytes.`);
}

function invalidFile(problem: string): ServiceError {
  return unprocessable(`Unprocessable Entity: file validation failed.\n${problem}`);
}

/** Returns the lower of the field's and the server's limit. A body of unknown length is read up to it. */
function limitOf({ api }: Call, { maxFileBytes = Number.POSITIVE_INFINITY }: FieldDefinition) {
  const { maxUploadBytes } = api;
  if (maxFileBytes > (maxUploadBytes ?? Number.MAX_SAFE_INTEGER)) return { maxBytes: maxUploadBytes };
  return {
    maxBytes: maxFileBytes,
    beyond: () => invalidFile(`The file exceeds the maximum file size of ${maxFileBytes} bytes.`),
  };
}

function fileField({ api, params }: Call): FieldDefinition {
  const { entity_type_id: type, bundle, field_name: name = '' } = params;
  const definition = bundlesOf(api.services.model, type)
    ?.get(bundle ?? '')
    ?.fieldNamed.get(name);
  if (definition === undefined) throw new ServiceError('not-found', `Field "${name.slice(0, 100)}" does not exist`);
  if (definition.targetType !== 'file') throw new ServiceError('forbidden', `"${name}" is not a file field`);
  return definition;
}

/** Allows uploads by callers who may create an entity with the field, or change one of its bundle. */
function uploadAccess({ actor, params }: Call): Access {
  const { entity_type_id: type, bundle = '' } = params;
  if (type === 'user') return userUploadAccess(actor);
  const access = CONTENT_ACCESS[type as keyof typeof CONTENT_ACCESS] ?? nodeAccess;
  const create = access.create(actor.anywhere(), bundle);
  if (create.isAllowed || !actor.isAuthenticated) return create;
  const own = { bundle, ownerId: actor.id, status: true, accessSet: 0 };
  return access.update(actor.anywhere(), own).isAllowed ? { isAllowed: true } : create;
}
