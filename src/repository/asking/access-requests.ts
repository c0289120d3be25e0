import { and, desc, eq, gt, lte, ne, sql } from 'drizzle-orm';
import { isSessionId, newSessionId, storedSessionKey } from '../../auth/session-token.ts';
import { ServiceError, unprocessable } from '../../base/errors.ts';
import { failedGuard } from '../../database/errors.ts';
import { query } from '../../database/query-builder.ts';
import { accessRequests } from '../../database/schema/asking.ts';
import { nodes } from '../../database/schema/content.ts';
import { users } from '../../database/schema/users.ts';
import { requireOne } from '../../database/sql.ts';
import { type Named, prepare, type Statement, statementOf } from '../../database/statement.ts';
import { accessSetOf } from '../access/set-columns.ts';
import type { BaseServices } from '../base-services.ts';
import { checkMail } from '../users/account-problems.ts';
import { countAsking } from '../users/request-reset.ts';
import { newAccessLink } from './access-links.ts';

/** The time in which a mail address must be confirmed. */
export const CONFIRM_HOURS = 24;
const SECONDS_PER_HOUR = 3_600;
const MAX_NAME_CHARS = 200;
export const MAX_TEXT_CHARS = 4_000;
/** The number of requests that the queue lists. */
const MAX_LISTED = 200;

/** What a reader types. */
export interface TypedRequest {
  readonly name: string;
  readonly mail: string;
  readonly purpose: string;
}

const removeUnconfirmed = prepare(({ before }: Named<{ before: number }>) =>
  query.delete(accessRequests).where(and(eq(accessRequests.state, 'unconfirmed'), lte(accessRequests.created, before))),
);

/** The time after which a decided request is removed, in seconds. */
const KEPT_S = 365 * 86_400;
const removeDecided = prepare(({ before }: Named<{ before: number }>) =>
  query.delete(accessRequests).where(lte(accessRequests.decided, before)),
);

/** Returns the field of a request that is missing or too long, with the problem as a sentence. */
export function requestProblem({ name, purpose }: TypedRequest): { field: string; message: string } | undefined {
  if (name.trim() === '') return { field: 'name', message: 'Enter your name.' };
  if (name.length > MAX_NAME_CHARS)
    return { field: 'name', message: `The name has over ${MAX_NAME_CHARS} characters.` };
  if (purpose.trim() === '') return { field: 'purpose', message: 'Enter what you need the files for.' };
  if (purpose.length > MAX_TEXT_CHARS)
    return { field: 'purpose', message: `The purpose has over ${MAX_TEXT_CHARS} characters.` };
  return undefined;
}

/**
 * Stores a request for the files of a node. `isMailed`: it waits until its mail address is confirmed with the returned token;
 * otherwise it is open at once. Throws `unprocessable` for an invalid address, and `too-many-requests`.
 */
export async function addAccessRequest(
  services: BaseServices,
  nodeId: number,
  { name, mail, purpose }: TypedRequest,
  { isMailed, address }: { readonly isMailed: boolean; readonly address: string | undefined },
): Promise<string> {
  const { database, now } = services;
  checkMail(mail);
  await countAsking(services, address, mail);
  const token = newSessionId();
  const values = {
    ...{ nodeId, mail, name: name.replace(/\s+/g, ' ').trim(), purpose: purpose.trim(), created: now() },
    ...(isMailed ? { state: 'unconfirmed' as const, tokenHash: storedSessionKey(token) } : { state: 'open' as const }),
  };
  await database.write([
    removeUnconfirmed({ before: now() - CONFIRM_HOURS * SECONDS_PER_HOUR }),
    removeDecided({ before: now() - KEPT_S }),
    statementOf(query.insert(accessRequests).values(values)),
  ]);
  return token;
}

const requestColumns = {
  id: accessRequests.id,
  nodeId: accessRequests.nodeId,
  name: accessRequests.name,
  mail: accessRequests.mail,
  purpose: accessRequests.purpose,
  state: accessRequests.state,
  isConfirmed: accessRequests.isConfirmed,
  created: accessRequests.created,
  decided: accessRequests.decided,
  decidedBy: users.name,
  note: accessRequests.note,
  title: nodes.label,
  bundle: nodes.bundle,
  ownerId: nodes.ownerId,
  status: nodes.status,
  accessSet: accessSetOf(nodes.id),
};

const allRequests = () =>
  query
    .select(requestColumns)
    .from(accessRequests)
    .innerJoin(nodes, eq(nodes.id, accessRequests.nodeId))
    .leftJoin(users, eq(users.id, accessRequests.decidedBy))
    .$dynamic();

const requestWithId = prepare(({ id }: Named<{ id: number }>) =>
  allRequests().where(and(eq(accessRequests.id, id), ne(accessRequests.state, 'unconfirmed'))),
);
const requestToConfirm = prepare(({ tokenHash, after }: Named<{ tokenHash: string; after: number }>) =>
  allRequests().where(
    and(
      eq(accessRequests.tokenHash, tokenHash),
      eq(accessRequests.state, 'unconfirmed'),
      gt(accessRequests.created, after),
    ),
  ),
);
const latestRequests = prepare(() =>
  allRequests()
    .where(ne(accessRequests.state, 'unconfirmed'))
    .orderBy(sql`${accessRequests.state} <> 'open'`, desc(accessRequests.id))
    .limit(MAX_LISTED),
);

/** Returns a request that waits for a decision, or has one. */
export function findAccessRequest({ database }: Pick<BaseServices, 'database'>, id: number) {
  return database.get(requestWithId({ id }));
}

/** A request with the facts about its node on which access depends. */
export type AccessRequest = NonNullable<Awaited<ReturnType<typeof findAccessRequest>>>;

/** Returns the latest requests, those that wait for a decision first. */
export function findAccessRequests({ database }: Pick<BaseServices, 'database'>): Promise<AccessRequest[]> {
  return database.all(latestRequests());
}

/** Returns the request that a token confirms, without confirming it. */
export async function findUnconfirmed(
  { database, now }: Pick<BaseServices, 'database' | 'now'>,
  token: string,
): Promise<AccessRequest | undefined> {
  if (!isSessionId(token)) return undefined;
  const after = now() - CONFIRM_HOURS * SECONDS_PER_HOUR;
  return database.get(requestToConfirm({ tokenHash: storedSessionKey(token), after }));
}

/** Confirms the mail address of a request, which is then open. Undefined for an invalid token, and one that was used meanwhile. */
export async function confirmAccessRequest(services: BaseServices, token: string): Promise<AccessRequest | undefined> {
  const request = await findUnconfirmed(services, token);
  if (request === undefined) return undefined;
  const isWaiting = and(eq(accessRequests.id, request.id), eq(accessRequests.state, 'unconfirmed'));
  const change = { state: 'open', isConfirmed: true, tokenHash: null } as const;
  const { confirmed } = await services.database.write({
    confirmed: statementOf(query.update(accessRequests).set(change).where(isWaiting)) as Statement<{ changes: number }>,
  });
  return confirmed.changes === 1 ? request : undefined;
}

/** The decision on a request. `lastDay` is that of the link of a granted one. */
export interface Decision {
  readonly by: number;
  readonly note: string;
  readonly lastDay: string | undefined;
}

/**
 * Grants or refuses an open request. Returns the token of the link of a granted one. Throws `unprocessable` as `newAccessLink`,
 * and `conflict` for a request that was decided meanwhile.
 */
export async function decideAccessRequest(
  services: BaseServices,
  { id, nodeId, name }: AccessRequest,
  { by, note, lastDay }: Decision,
): Promise<string | undefined> {
  const { database, now } = services;
  if (note.length > MAX_TEXT_CHARS) throw unprocessable(`The note has over ${MAX_TEXT_CHARS} characters.`);
  const link =
    lastDay === undefined
      ? undefined
      : await newAccessLink(services, { nodeId, label: name, lastDay, createdBy: by, requestId: id });
  const state = link === undefined ? 'refused' : 'granted';
  const change = { state, note: note.trim(), decided: now(), decidedBy: by } as const;
  const isOpen = and(eq(accessRequests.id, id), eq(accessRequests.state, 'open'));
  try {
    await database.write([
      statementOf(query.update(accessRequests).set(change).where(isOpen)),
      requireOne('stale'),
      ...(link === undefined ? [] : [link.statement]),
    ]);
  } catch (error) {
    if (failedGuard(error) === undefined) throw error;
    throw new ServiceError('conflict', 'Another editor has decided on this request.', { cause: error });
  }
  return link?.token;
}
