import { malformed, type ServiceError } from '../../base/errors.ts';
import { etagOf } from '../../http/etag.ts';
import { type Content, membersOf, parseDocument } from '../../repository/content/content.ts';
import { findStoredDocuments, lostFields } from '../../repository/revisions/lost-fields.ts';
import {
  countRevisions,
  findRevision,
  findRevisionEntry,
  listRevisions,
  mayViewRevision,
  type Revision,
} from '../../repository/revisions/revisions.ts';
import { userViewAccess } from '../../repository/user-access.ts';
import { type Call, doesNotExist, parseId } from '../../web/call.ts';
import { FORM_TOKEN } from '../../web/form-names.ts';
import { type PageQuery, pageOrFirst } from '../../web/parameters.ts';
import { type HtmlPage, representation } from '../../web/respond.ts';
import { spendTime } from '../../web/spend.ts';
import { differingLabels } from './compared-fields.ts';
import { comparisonPage } from './comparison-page.tsx';
import type { RestoreForm, RevisionContent, RevisionEntry } from './revision-data.ts';
import { revisionPage } from './revision-page.tsx';
import { revisionsPage } from './revisions-page.tsx';

/** The revisions to compare, as the query has them. */
export interface CompareQuery {
  readonly left?: string;
  readonly right?: string;
}

const MAX_SHOWN_CHARACTERS = 20;

/** Returns the history of content as a page, or the comparison of two revisions if the query names them. */
export async function historyPageAnswer(
  call: Call,
  content: Content,
  query: PageQuery & CompareQuery,
  pageSize: number,
): Promise<Response> {
  const { api } = call;
  if (query.left !== undefined || query.right !== undefined)
    return spendTime(call, 'comparison', () => comparisonAnswer(call, content, query));
  const { services } = api;
  const { kind, head } = content;
  const range = pageOrFirst(query, pageSize);
  const [revisions, total] = await Promise.all([
    listRevisions(services, kind, head.id, range),
    countRevisions(services, kind, head.id),
  ]);
  const effects = await effectsOf(call, content, revisions);
  const page = revisionsPage(
    {
      content: parseDocument(content),
      restore: restoreForm(call, content),
      revisions: revisions.map((revision) => shownTo(call, content, revision, effects)),
      page: range.offset / pageSize,
      pages: Math.ceil(total / pageSize),
    },
    call.pageSource,
  );
  return answer(call, content, page);
}

/** Returns content as of a revision as a page. */
export async function revisionPageAnswer(call: Call, content: Content, revision: Content): Promise<Response> {
  const shown = await surrounded(call, content, revision);
  return answer(call, content, revisionPage(shown, restoreForm(call, content), call.pageSource));
}

async function comparisonAnswer(call: Call, content: Content, { left, right }: CompareQuery): Promise<Response> {
  const current = content.head.revisionId ?? 0;
  const ids = [idOf('left', left, current), idOf('right', right, current)].sort((one, other) => one - other);
  const revisions = await Promise.all(ids.map((id) => findRevision(call.api.services, content, id)));
  const sides = await Promise.all(
    revisions.map((revision, at) => {
      if (revision === undefined) throw doesNotExist(`${content.kind.type}_revision`, String(ids[at]));
      call.allow(revision.kind.access.view(call.actor, revision.head));
      return surrounded(call, content, revision);
    }),
  );
  const [before, after] = sides as [RevisionContent, RevisionContent];
  const restore = restoreForm(call, content);
  return answer(call, content, comparisonPage({ before, after, restore }, call.pageSource));
}

/** Returns the id of a revision in the query: the current one if it names none. */
function idOf(name: string, text: string | undefined, current: number): number {
  const id = text === undefined ? current : parseId(text);
  if (id === undefined) throw invalid(name, text ?? '');
  return id;
}

function invalid(name: string, text: string): ServiceError {
  return malformed(
    `The query parameter "${name}" must be the number of a revision, found "${text.slice(0, MAX_SHOWN_CHARACTERS)}".`,
  );
}

/** Returns a revision with the related entities that the caller may view. */
async function surrounded(call: Call, content: Content, revision: Content): Promise<RevisionContent> {
  const { api, actor } = call;
  const [entry, { parsed, surroundings }] = await Promise.all([
    findRevisionEntry(api.services, content, revision.head.revisionId ?? 0),
    api.content.complete(revision, { actor, surroundings: 'always' }),
  ]);
  // A revision that has just been deleted.
  if (entry === undefined) throw doesNotExist(`${content.kind.type}_revision`, String(revision.head.revisionId));
  const effects = await effectsOf(call, content, [entry]);
  return { revision: shownTo(call, revision, entry, effects), content: parsed(), around: surroundings };
}

/** Returns a revision with its user and message, if the caller may view them. */
function shownTo({ actor }: Call, content: Content, revision: Revision, effects: Effects): RevisionEntry {
  const { id, created, userId, user, log, isCurrent } = revision;
  const isReadable = mayViewRevision(actor, content, revision);
  const isVisible =
    user !== undefined && userId !== null && userViewAccess(actor, { id: userId, status: user.status }).isAllowed;
  return {
    id,
    created,
    user: isVisible ? { id: userId, name: user.name } : undefined,
    log: (isReadable ? log : null) ?? undefined,
    isCurrent,
    isReadable,
    restoring: isReadable ? effects.get(id) : undefined,
  };
}

type Effects = ReadonlyMap<number, NonNullable<RevisionEntry['restoring']>>;

/** Returns what bringing back each of the revisions changes in the content. None for a caller who may not. */
async function effectsOf(call: Call, content: Content, revisions: readonly Revision[]): Promise<Effects> {
  if (!mayRestore(call, content)) return new Map();
  const ids = revisions.filter(({ isCurrent }) => !isCurrent).map(({ id }) => id);
  const documents = await findStoredDocuments(call.api.services, content, ids);
  const present = membersOf(content);
  return new Map(
    [...documents].flatMap(([id, document]) => {
      const effect = { changes: differingLabels(content, document, present), lost: lostFields(content, document) };
      return effect.changes.length + effect.lost.length === 0 ? [] : [[id, effect]];
    }),
  );
}

const mayRestore = ({ actor }: Call, { kind, head }: Content) =>
  actor.isAuthenticated && kind.access.revert(actor, head).isAllowed;

function restoreForm(call: Call, content: Content): RestoreForm | undefined {
  if (!mayRestore(call, content)) return undefined;
  return { tokenName: FORM_TOKEN, token: call.formToken, version: content.head.version };
}

/** Returns a page. No date identifies its version: users and other content are part of it. */
function answer(call: Call, content: Content, page: HtmlPage): Response {
  const response = representation(call, {
    ...page,
    etag: etagOf(`${call.api.edition}${page.body}`),
    changed: undefined,
  });
  // The token of a session must not be stored.
  if (mayRestore(call, content)) response.headers.set('Cache-Control', 'no-store, private');
  return response;
}
