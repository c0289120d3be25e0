import { strongEtag } from '../http/etag.ts';
import type { FieldValues } from '../model/content-model.ts';
import type { Actor } from '../repository/actor.ts';
import type { Content } from '../repository/content/content.ts';
import { withFileAddresses } from './file-addresses.ts';

/** How a caller sees content. */
export interface Viewpoint {
  readonly actor: Actor;
  readonly baseUrl: string;
  /** Stands for the program and its content model. */
  readonly edition: string;
}

/**
 * Content as JSON text: its document as it is kept (spec: rest-behaviour, 3.1). It is taken apart only for
 * editors, who see the log message too, and where addresses of files have to be made absolute.
 */
export function contentJson(content: Content, { actor, baseUrl }: Pick<Viewpoint, 'actor' | 'baseUrl'>): string {
  return textOf(content, maySeeLog(content, actor), baseUrl);
}

/** The strong ETag of that text without making it: of everything that it depends on. */
export function contentEtag(content: Content, from: Viewpoint): string {
  return etagOf(content, maySeeLog(content, from.actor), from);
}

/** Text and ETag of content. */
export function contentRepresentation(content: Content, from: Viewpoint): { body: string; etag: string } {
  const isEditor = maySeeLog(content, from.actor);
  return { body: textOf(content, isEditor, from.baseUrl), etag: etagOf(content, isEditor, from) };
}

function textOf(content: Content, isEditor: boolean, baseUrl: string): string {
  const document = hasFiles(content) ? withAddresses(content, baseUrl) : content.document;
  return isEditor ? withLog(document, content) : document;
}

function etagOf(content: Content, isEditor: boolean, { baseUrl, edition }: Viewpoint): string {
  const { kind, head } = content;
  const { id, revisionId, version, changed } = head;
  const seen = `${isEditor ? 'editor' : 'viewer'} ${hasFiles(content) ? baseUrl : ''}`;
  return strongEtag(Bun.hash(`${edition} ${kind.type} ${id} ${revisionId} ${version} ${changed} ${seen}`).toString(36));
}

/** Log messages are for those who may change the entity or look through its history (spec: rest-behaviour, 3.3). */
function maySeeLog({ kind, head }: Content, actor: Actor): boolean {
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
