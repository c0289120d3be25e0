import { and, eq, gt, lt } from 'drizzle-orm';
import { newSessionId, storedSessionKey } from '../../auth/session-token.ts';
import { failedGuard } from '../../database/errors.ts';
import { query } from '../../database/query-builder.ts';
import { mailChanges, users } from '../../database/schema/users.ts';
import { excluded, requireOne } from '../../database/sql.ts';
import { type Named, prepare, statementOf } from '../../database/statement.ts';
import type { BaseServices } from '../base-services.ts';
import { checkMail } from './account-problems.ts';
import type { User } from './find-user.ts';
import { removeLinks } from './manage-users.ts';
import { countMailChange } from './request-reset.ts';

/** The validity of a link that confirms a mail address. */
export const MAIL_LINK_HOURS = 24;
const SECONDS_PER_HOUR = 3_600;

/** A new mail address that waits for its confirmation. */
interface MailChange {
  readonly userId: number;
  readonly name: string;
  readonly mail: string;
}

const { userId, tokenHash, mail, created, expires } = mailChanges;

const changeOfLink = prepare((link: Named<{ tokenHash: string; now: number }>) =>
  query
    .select({ userId, name: users.name, mail })
    .from(mailChanges)
    .innerJoin(users, eq(users.id, userId))
    .where(and(eq(tokenHash, link.tokenHash), gt(expires, link.now), eq(users.status, true))),
);
const changeOfUser = prepare((wanted: Named<{ id: number; now: number }>) =>
  query
    .select({ mail })
    .from(mailChanges)
    .where(and(eq(userId, wanted.id), gt(expires, wanted.now))),
);

/**
 * Creates a link with which a user confirms a new mail address, and returns its token. An earlier link of the user becomes
 * invalid. Throws `unprocessable` for an invalid address, and `too-many-requests`.
 */
export async function requestMailChange(services: BaseServices, { row }: User, address: string): Promise<string> {
  const { database, now } = services;
  checkMail(address);
  await countMailChange(services, row.id);
  const token = newSessionId();
  const begun = now();
  const values = {
    ...{ userId: row.id, tokenHash: storedSessionKey(token), mail: address, created: begun },
    expires: begun + MAIL_LINK_HOURS * SECONDS_PER_HOUR,
  };
  const set = { tokenHash: excluded(tokenHash), mail: excluded(mail), created: excluded(created) };
  await database.write({
    expired: statementOf(query.delete(mailChanges).where(lt(expires, begun))),
    saved: statementOf(
      query
        .insert(mailChanges)
        .values(values)
        .onConflictDoUpdate({ target: userId, set: { ...set, expires: excluded(expires) } }),
    ),
  });
  return token;
}

/** Returns the change that a valid link confirms, without using it up. */
export function findMailChange({ database, now }: BaseServices, token: string): Promise<MailChange | undefined> {
  return database.get(changeOfLink({ tokenHash: storedSessionKey(token), now: now() }));
}

/** Returns the address of a user that waits for its confirmation. */
export async function findPendingMail({ database, now }: BaseServices, id: number): Promise<string | undefined> {
  return (await database.get(changeOfUser({ id, now: now() })))?.mail;
}

/**
 * Sets the mail address that a link confirms, and ends the links of the user. Returns the change; undefined for an invalid
 * link, and for one that another request has used meanwhile.
 */
export async function confirmMail(services: BaseServices, token: string): Promise<MailChange | undefined> {
  const { database, now } = services;
  const change = await findMailChange(services, token);
  if (change === undefined) return undefined;
  const isUsed = and(eq(tokenHash, storedSessionKey(token)), gt(expires, now()));
  const isActive = and(eq(users.id, change.userId), eq(users.status, true));
  try {
    await database.write({
      used: statementOf(query.delete(mailChanges).where(isUsed)),
      unused: requireOne('lost'),
      changed: statementOf(query.update(users).set({ mail: change.mail, changed: now() }).where(isActive)),
      isChanged: requireOne('stale'),
      unlinked: removeLinks(change),
    });
    return change;
  } catch (error) {
    if (failedGuard(error) === undefined) throw error;
    return undefined;
  }
}
