import { viewEtag } from '../http/etag.ts';
import type { FieldValues } from '../model/content-model.ts';
import type { Actor } from '../repository/actor.ts';
import type { Content } from '../repository/content/content.ts';
import { withFileAddresses } from './file-json.ts';

/** How a caller sees content. */
export interface Viewpoint {
  readonly actor: Actor;
  readonly baseUrl: string;
}

/**
 * Content as JSON text: its document as it is kept (spec: rest-behaviour, 3.1). It is taken apart only for
 * editors, who see the log message too, and where addresses of files have to be made absolute.
 */
export function contentJson(content: Content, { actor, baseUrl }: Viewpoint): string {
  return textOf(content, maySeeLog(content, actor), baseUrl);
}

/**
 * The strong ETag of content in its present state; `edition` stands for the program and its content model, and `seen` is
 * what one caller's view of it differs in.
 */
export function contentEtag({ kind, head }: Content, { edition }: { edition: string }, seen: string): string {
  const { id, revisionId, version, changed } = head;
  return viewEtag(`${edition} ${kind.type} ${id} ${revisionId} ${version} ${changed}`, seen);
}

/** The JSON text of content, and all that it depends on besides the state of the content. */
export function contentRepresentation(content: Content, { actor, baseUrl }: Viewpoint): { body: string; seen: string } {
  const isEditor = maySeeLog(content, actor);
  const seen = `${isEditor ? 'editor' : 'viewer'} ${hasFiles(content) ? baseUrl : ''}`;
  return { body: textOf(content, isEditor, baseUrl), seen };
}

function textOf(content: Content, isEditor: boolean, baseUrl: string): string {
  const document = hasFiles(content) ? withAddresses(content, baseUrl) : content.document;
  return isEditor ? withLog(document, content) : document;
}

/** Log messages are for those who may change the entity or look through its history (spec: rest-behaviour, 3.3). Paragraphs have none. */
function maySeeLog({ kind, head }: Content, actor: Actor): boolean {
  if (kind.type === 'paragraph') return false;
  return kind.access.update(actor, head).isAllowed || kind.access.viewRevisions(actor, head).isAllowed;
}

/** Puts the log message in its place, before the status. Quotes within a value are escaped: this is no part of one. */
function withLog(document: string, { kind, head }: Content): string {
  const at = document.indexOf(',"status":[');
  const items = head.revisionLog === null ? '' : JSON.stringify({ value: head.revisionLog });
  return `${document.slice(0, at)},"${kind.names.revisionLog}":[${items}]${document.slice(at)}`;
}

function hasFiles({ kind, bundle }: Content): boolean {
  return kind.type === 'media' || bundle.fields.some(({ targetType }) => targetType === 'file');
}

function withAddresses({ bundle, document }: Content, baseUrl: string): string {
  const members = JSON.parse(document) as FieldValues;
  const names = bundle.fields.filter(({ targetType }) => targetType === 'file').map(({ name }) => name);
  for (const name of ['thumbnail', ...names]) {
    if (members[name]) members[name] = withFileAddresses(members[name], baseUrl);
  }
  return JSON.stringify(members);
}
