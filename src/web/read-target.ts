import { type ServiceError, unprocessable } from '../base/errors.ts';
import { readableTitle } from '../base/readable-title.ts';
import type { MediaType, NodeType } from '../model/content-model.ts';
import { MEDIA_USE_URI } from '../model/media-use.ts';
import { entityPath } from '../paths.ts';
import { mediaAccess, nodeAccess, replaceSourceAccess } from '../repository/access.ts';
import type { ContentType } from '../repository/access-rule.ts';
import { atNode } from '../repository/actor-at.ts';
import { type Content, open } from '../repository/content/content.ts';
import { extensionOf, isAttachable, mediaTypeOf, modelUriForFile } from '../repository/media/media-type-of.ts';
import { MEMBER_OF } from '../repository/relations.ts';
import { type AttachTarget, RIGHTS_FIELD, TRACK_FIELD } from '../repository/uploads/attach-target.ts';
import { type AttachBody, requireOneTarget } from './attach-body.ts';
import type { Call } from './call.ts';

const MODEL_FIELD = 'field_model';

/**
 * Returns what a body asks for, with the access of the same write over REST. Throws `unprocessable` for content that does
 * not exist, and 403.
 */
export async function readTarget(call: Call, filename: string, body: AttachBody): Promise<AttachTarget> {
  requireOneTarget(body);
  const { actor } = call;
  if (body.node !== undefined) {
    const node = await existing(call, 'node', 'node', body.node);
    call.allow(nodeAccess.update(actor, node.head));
    return { as: 'media', nodeId: node.head.id, ...(await mediaOf(call, filename, body, node)) };
  }
  if (body.member_of !== undefined) return newItem(call, filename, body, body.member_of);
  const [name, id] =
    body.media === undefined ? (['track_of', body.track_of] as const) : (['media', body.media] as const);
  const media = await existing(call, 'media', name, id ?? 0);
  call.allow(replaceSourceAccess(actor, media.head));
  const check = (current: Content) => call.require(replaceSourceAccess(actor, current.head));
  if (name === 'media') return { as: 'source', media, check, note: call.note };
  if (!media.bundle.fieldNamed.has(TRACK_FIELD))
    throw invalid('track_of', `Media of the type ${media.bundle.name} have no tracks.`);
  const { kind = 'subtitles', language = 'en', label = language } = body;
  return { as: 'track', media, check, kind, label, language };
}

async function newItem(call: Call, filename: string, body: AttachBody, parentId: number): Promise<AttachTarget> {
  const { actor, api } = call;
  const parent = await existing(call, 'node', 'member_of', parentId);
  call.require(nodeAccess.view(actor, parent.head));
  const nodeType = itemType(call);
  call.allow(nodeAccess.create(atNode(actor, parent.head), nodeType.name));
  const { type, termId } = await mediaOf(call, filename, body, parent);
  const { terms } = api.services.derivatives;
  const parentModels = (open(parent).values[MODEL_FIELD] ?? []).map(({ target_id }) => Number(target_id));
  const uri = modelUriForFile(api.services.model.models, type, filename, await terms.of(parentModels));
  const modelId = body.model ?? (uri && (await terms.first(uri))?.id);
  if (!modelId) throw invalid('model', `No term has the URI ${uri ?? 'of a model for this file'}: name the model.`);
  const { title = readableTitle(filename), weight, published, rights } = body;
  if (rights !== undefined && !nodeType.fieldNamed.has(RIGHTS_FIELD))
    throw invalid('rights', `Items of the type ${nodeType.name} have no field ${RIGHTS_FIELD}.`);
  return { as: 'item', nodeType, title, parentId, modelId, weight, published, rights, type, termId };
}

/** Returns the first type of nodes that can be a member and have a model. */
export function itemType({ api }: Pick<Call, 'api'>): NodeType {
  const fields = [MODEL_FIELD, MEMBER_OF];
  const types = [...api.services.model.nodeTypes.values()];
  const nodeType = types.find(({ fieldNamed }) => fields.every((name) => fieldNamed.has(name)));
  if (nodeType !== undefined) return nodeType;
  throw unprocessable(`No type of nodes has the fields ${fields.join(' and ')}.`);
}

async function mediaOf(
  call: Call,
  filename: string,
  body: AttachBody,
  { head }: Content,
): Promise<{ readonly type: MediaType; readonly termId: number }> {
  const { model, derivatives } = call.api.services;
  const type = body.media_type === undefined ? mediaTypeOf(model, filename) : model.mediaTypes.get(body.media_type);
  if (type === undefined && body.media_type === undefined) {
    const extension = extensionOf(filename);
    throw unprocessable(
      `No media type accepts ${extension === '' ? 'a file without an extension' : `.${extension} files`}.`,
    );
  }
  if (type === undefined || !isAttachable(type))
    throw invalid('media_type', `No media type ${JSON.stringify(body.media_type?.slice(0, 100))} has files of nodes.`);
  call.allow(mediaAccess.create(atNode(call.actor, head), type.name));
  if (body.media_use !== undefined) await existing(call, 'taxonomy_term', 'media_use', body.media_use);
  const termId = body.media_use ?? (await derivatives.terms.first(MEDIA_USE_URI.original))?.id;
  if (termId === undefined) throw invalid('media_use', `No term has the URI ${MEDIA_USE_URI.original}: name the use.`);
  return { type, termId };
}

/** Returns content that a member of the body names. */
async function existing(call: Call, type: ContentType, member: string, id: number): Promise<Content> {
  const content = await call.api.findContent(type, id);
  if (content !== undefined) return content;
  throw invalid(member, `There is no ${type === 'taxonomy_term' ? 'term' : type} ${id}.`);
}

function invalid(member: string, message: string): ServiceError {
  return unprocessable(`${member}: ${message}`);
}

/** Returns the reference to an entity in an answer. */
export function referenceTo(call: Call, type: 'node' | 'media', id: number): { id: number; url: string } {
  return { id, url: `${call.baseUrl}${entityPath[type](id)}` };
}
