import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/** User accounts; 0 is the anonymous user. Times are seconds since 1970, 0 for never. */
export const users = sqliteTable(
  'user',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    uuid: text().notNull().unique(),
    name: text().notNull(),
    mail: text(),
    /** In PHC form; null for an account that cannot sign in with a password. */
    passwordHash: text('password_hash'),
    status: integer({ mode: 'boolean' }).notNull(),
    /** A JSON list of role names, without `authenticated`. */
    roles: text().notNull(),
    langcode: text().notNull(),
    preferredLangcode: text('preferred_langcode').notNull(),
    preferredAdminLangcode: text('preferred_admin_langcode'),
    timezone: text().notNull(),
    created: integer().notNull(),
    changed: integer().notNull(),
    access: integer().notNull(),
    login: integer().notNull(),
    init: text(),
    layout: integer().notNull(),
    isDangling: integer('is_dangling', { mode: 'boolean' }).notNull(),
    fields: text().notNull(),
    /**
     * The time when password, status or roles last changed, in milliseconds since 1970; 0 for never. A trigger sets it,
     * always to a higher value. Tokens hold it as the version of the account.
     */
    credentialsChanged: integer('credentials_changed').notNull().default(0),
    /** The time of its deletion: an empty record that content still refers to. Null for an account. */
    deletedAt: integer('deleted_at'),
  },
  (table) => [
    uniqueIndex('user_name').on(sql`${table.name} COLLATE NOCASE`),
    index('user_mail').on(sql`${table.mail} COLLATE NOCASE`),
  ],
);

export type UserRow = typeof users.$inferSelect;

/** Browser sessions. The database holds a digest of the cookie's value, never the value. */
export const sessions = sqliteTable(
  'session',
  {
    idHash: text('id_hash').primaryKey(),
    userId: integer('user_id').notNull(),
    created: integer().notNull(),
    expires: integer().notNull(),
    /** The time of a recent request. Later ones are written only after a part of the idle limit (`auth/session-limits.ts`). */
    used: integer().notNull().default(0),
    /** The address and the `User-Agent` of the sign-in, by which users recognize their sessions. */
    address: text(),
    userAgent: text('user_agent'),
  },
  (table) => [index('session_user').on(table.userId), index('session_expires').on(table.expires)],
);

/** Links to set a password, at most one for a user. The database holds a digest of the token, never the token. */
export const passwordResets = sqliteTable('password_reset', {
  userId: integer('user_id').primaryKey(),
  tokenHash: text('token_hash').notNull().unique(),
  created: integer().notNull(),
  expires: integer().notNull(),
});

/** New mail addresses that wait for their confirmation, at most one for a user. The database holds a digest of the token. */
export const mailChanges = sqliteTable('mail_change', {
  userId: integer('user_id').primaryKey(),
  tokenHash: text('token_hash').notNull().unique(),
  mail: text().notNull(),
  created: integer().notNull(),
  expires: integer().notNull(),
});

/** Failed attempts to sign in, for the limits on them. */
export const floodEvents = sqliteTable(
  'flood_event',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    event: text().notNull(),
    identifier: text().notNull(),
    /** Milliseconds since 1970, as is `expires`. */
    at: integer().notNull(),
    expires: integer().notNull(),
  },
  (table) => [
    index('flood_event_identifier').on(table.event, table.identifier, table.at),
    index('flood_event_expires').on(table.expires),
  ],
);
