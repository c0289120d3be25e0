import { createHash } from 'node:crypto';
import { and, count, eq, gt, ne, or, sql } from 'drizzle-orm';
import { addressIdentifier } from '../../auth/flood.ts';
import { ServiceError } from '../../base/errors.ts';
import { query } from '../../database/query-builder.ts';
import { floodEvents, type UserRow, users } from '../../database/schema/users.ts';
import { type Named, prepare, type Statement } from '../../database/statement.ts';
import { ANONYMOUS_ID } from '../actor.ts';
import type { BaseServices } from '../base-services.ts';
import { normalizeName, type User } from './find-user.ts';
import { removeExpired } from './flood-store.ts';

const HOUR_MS = 3_600_000;
/** The number of requests in a time window, after which further ones are refused (address) or ignored (account). */
const LIMITS = {
  'reset-by-address': { maxRequests: 20, windowMs: HOUR_MS },
  'reset-by-account': { maxRequests: 3, windowMs: HOUR_MS },
  'mail-by-account': { maxRequests: 5, windowMs: HOUR_MS },
  'ask-by-address': { maxRequests: 10, windowMs: HOUR_MS },
  'ask-by-mail': { maxRequests: 3, windowMs: HOUR_MS },
} as const;
type Event = keyof typeof LIMITS;

/** The maximum number of accounts with one mail address that get a link. */
const MAX_ACCOUNTS = 5;

type EventCount = { event: string; identifier: string; since: number; max: number; at: number; expires: number };
const countRequest = prepare((values: Named<EventCount>) => {
  const earlier = query
    .select({ requests: count() })
    .from(floodEvents)
    .where(
      and(
        eq(floodEvents.event, values.event),
        eq(floodEvents.identifier, values.identifier),
        gt(floodEvents.at, values.since),
      ),
    );
  return query.insert(floodEvents).select(
    query
      .select({
        id: sql<number>`NULL`.as(floodEvents.id.name),
        event: sql<string>`${values.event}`.as(floodEvents.event.name),
        identifier: sql<string>`${values.identifier}`.as(floodEvents.identifier.name),
        at: sql<number>`${values.at}`.as(floodEvents.at.name),
        expires: sql<number>`${values.expires}`.as(floodEvents.expires.name),
      })
      .from(sql`(SELECT 1)`)
      .where(sql`(${earlier}) < ${values.max}`),
  );
});

const usersNamed = prepare(({ text }: Named<{ text: string }>) =>
  query
    .select()
    .from(users)
    .where(
      and(
        ne(users.id, ANONYMOUS_ID),
        or(sql`${users.name} = ${text} COLLATE NOCASE`, sql`${users.mail} = ${text} COLLATE NOCASE`),
      ),
    )
    .limit(MAX_ACCOUNTS),
);

/**
 * Counts a request for a reset link, and returns the users who get one: those with a name or a mail address, active and
 * with an address. Reads and writes as much for an unknown name. Throws `too-many-requests` for an address that has
 * asked too often; too many requests for one account return no users, which the caller must not show.
 */
export async function requestReset(services: BaseServices, text: string, address = 'unknown'): Promise<User[]> {
  const { database } = services;
  const named = normalizeName(text.trim());
  const users = await database.all(usersNamed({ text: named }));
  const time = Date.now();
  const { byAddress } = await database.write({
    expired: removeExpired({ now: time }),
    byAddress: counted('reset-by-address', addressIdentifier(address), time),
  });
  if (byAddress.changes !== 1) throw tooManyRequests();
  // One row for an unknown name, as for a known one.
  const keys = users.length === 0 ? [`name:${named.toLowerCase()}`] : users.map(({ id }) => `user:${id}`);
  const { byAccount } = await database.write({
    byAccount: keys.map((key) => counted('reset-by-account', digest(key), time)),
  });
  return users.flatMap((row, index) => (byAccount[index]?.changes === 1 && mayReset(row) ? toUser(row) : []));
}

function counted(event: Event, identifier: string, at: number): Statement<{ changes: number }> {
  const { maxRequests, windowMs } = LIMITS[event];
  return countRequest({ event, identifier, since: at - windowMs, max: maxRequests, at, expires: at + windowMs });
}

/** Users may type a password into the field. */
function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

const mayReset = (row: UserRow) => row.status && row.mail !== null;
const toUser = (row: UserRow): User => ({ row, roles: JSON.parse(row.roles) as string[] });

function tooManyRequests(): ServiceError {
  return new ServiceError('too-many-requests', 'Too many links were requested from your address. Try again later.', {
    headers: { 'Retry-After': String(LIMITS['reset-by-address'].windowMs / 1_000) },
  });
}

/** Counts a mail to a new address of a user. Throws `too-many-requests` for a user who has asked too often. */
export async function countMailChange({ database }: BaseServices, userId: number): Promise<void> {
  const time = Date.now();
  const { asked } = await database.write({
    expired: removeExpired({ now: time }),
    asked: counted('mail-by-account', digest(`user:${userId}`), time),
  });
  if (asked.changes === 1) return;
  throw new ServiceError('too-many-requests', 'You changed your mail address too often. Try again in an hour.', {
    headers: { 'Retry-After': String(LIMITS['mail-by-account'].windowMs / 1_000) },
  });
}

/**
 * Counts a request for closed files, which mails a link to an address that its sender typed. Throws `too-many-requests` for a
 * client, or a mail address, with too many of them.
 */
export async function countAsking({ database }: BaseServices, address = 'unknown', mail = ''): Promise<void> {
  const time = Date.now();
  const { byAddress } = await database.write({
    expired: removeExpired({ now: time }),
    byAddress: counted('ask-by-address', addressIdentifier(address), time),
  });
  if (byAddress.changes !== 1) throw tooManyAsked('ask-by-address');
  const { byMail } = await database.write({ byMail: counted('ask-by-mail', digest(mail.toLowerCase()), time) });
  if (byMail.changes !== 1) throw tooManyAsked('ask-by-mail');
}

function tooManyAsked(event: Event): ServiceError {
  return new ServiceError('too-many-requests', 'Too many requests for closed files. Try again in an hour.', {
    headers: { 'Retry-After': String(LIMITS[event].windowMs / 1_000) },
  });
}
