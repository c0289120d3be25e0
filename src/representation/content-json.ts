import { viewEtag } from '../http/etag.ts';
import { storedRule } from '../model/access-rules.ts';
import type { Actor } from '../repository/actor.ts';
import { type Content, membersOf } from '../repository/content/content.ts';
import { withFileAddresses } from './file-json.ts';

/** The caller and the base URL of a representation. */
interface Viewpoint {
  readonly actor: Actor;
  readonly baseUrl: string;
}

/**
 * Returns the stored document of content as JSON text (spec: rest-behaviour, 3.1). Editors get the log message too, and
 * addresses of files become absolute.
 */
export function contentJson(content: Content, { actor, baseUrl }: Viewpoint): string {
  const isEditor = maySeeLog(content, actor);
  return withMembers(textOf(content, isEditor, baseUrl), accessMembers(content, actor, isEditor));
}

/**
 * Returns the strong ETag of the current state of content. `edition` identifies the program and its content model,
 * `seen` the caller's view (`contentRepresentation`).
 */
export function contentEtag({ kind, head }: Content, { edition }: { edition: string }, seen: string): string {
  const { id, revisionId, version, changed } = head;
  return viewEtag(`${edition} ${kind.type} ${id} ${revisionId} ${version} ${changed}`, seen);
}

/** Returns the JSON text of content, and the facts about the caller's view on which it depends. */
export function contentRepresentation(content: Content, { actor, baseUrl }: Viewpoint): { body: string; seen: string } {
  const isEditor = maySeeLog(content, actor);
  const access = accessMembers(content, actor, isEditor);
  const seen = `${isEditor ? 'editor' : 'viewer'} ${hasFiles(content) ? baseUrl : ''}${access}`;
  return { body: withMembers(textOf(content, isEditor, baseUrl), access), seen };
}

/** Returns the members of restricted content as JSON text: its own rule for editors, and what rules close for everyone. */
function accessMembers({ head }: Content, actor: Actor, isEditor: boolean): string {
  const rights = actor.rightsOf(head.accessSet);
  const rule =
    isEditor && head.accessRule !== undefined ? `,"access_rule":[${JSON.stringify(storedRule(head.accessRule))}]` : '';
  if (rights === undefined) return rule;
  const { level, until, reason, contact } = rights;
  return `${rule},"access_rights":[${JSON.stringify({ level, until, reason, contact })}]`;
}

/** Adds members at the end of a document. */
function withMembers(document: string, members: string): string {
  return members === '' ? document : `${document.slice(0, -1)}${members}}`;
}

function textOf(content: Content, isEditor: boolean, baseUrl: string): string {
  const document = hasFiles(content) ? withAddresses(content, baseUrl) : content.document;
  return isEditor ? withLog(document, content) : document;
}

/** Returns true for callers who may change content or view its history (spec: rest-behaviour, 3.3). */
function maySeeLog({ kind, head }: Content, actor: Actor): boolean {
  if (kind.type === 'paragraph') return false;
  return kind.access.update(actor, head).isAllowed || kind.access.viewRevisions(actor, head).isAllowed;
}

/** Inserts the log message before the status. Values cannot match: their quotes are escaped. */
function withLog(document: string, { kind, head }: Content): string {
  const at = document.indexOf(',"status":[');
  const items = head.revisionLog === null ? '' : JSON.stringify({ value: head.revisionLog });
  return `${document.slice(0, at)},"${kind.names.revisionLog}":[${items}]${document.slice(at)}`;
}

function hasFiles({ kind, bundle }: Content): boolean {
  return kind.type === 'media' || bundle.fields.some(({ targetType }) => targetType === 'file');
}

function withAddresses(content: Content, baseUrl: string): string {
  const { bundle } = content;
  const members = membersOf(content);
  const names = bundle.fields.filter(({ targetType }) => targetType === 'file').map(({ name }) => name);
  for (const name of ['thumbnail', ...names]) {
    if (members[name]) members[name] = withFileAddresses(members[name], baseUrl);
  }
  return JSON.stringify(members);
}
