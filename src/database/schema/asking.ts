import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Requests of readers for the files of an item. Times are seconds since 1970. */
export const accessRequests = sqliteTable(
  'access_request',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    nodeId: integer('node_id').notNull(),
    name: text().notNull(),
    mail: text().notNull(),
    purpose: text().notNull(),
    /** `unconfirmed` until the mail address is confirmed, then `open` until an editor decides: `granted` or `refused`. */
    state: text({ enum: ['unconfirmed', 'open', 'granted', 'refused'] }).notNull(),
    /** The digest of the token that confirms the mail address; null once it is used, and without a mail server. */
    tokenHash: text('token_hash').unique(),
    /** True if a mail has confirmed the address. */
    isConfirmed: integer('is_confirmed', { mode: 'boolean' }).notNull().default(false),
    created: integer().notNull(),
    decided: integer(),
    decidedBy: integer('decided_by'),
    note: text(),
  },
  (table) => [index('access_request_state').on(table.state), index('access_request_node').on(table.nodeId)],
);

/** Links that open the files of one item. The database holds a digest of the token, never the token. */
export const accessLinks = sqliteTable(
  'access_link',
  {
    id: integer().primaryKey({ autoIncrement: true }),
    nodeId: integer('node_id').notNull(),
    tokenHash: text('token_hash').notNull().unique(),
    /** Whom it is for. */
    label: text().notNull(),
    /** The request that it answers; null for a link that an editor made unasked. */
    requestId: integer('request_id'),
    /** The last day of the site on which it opens the item. */
    lastDay: text('last_day').notNull(),
    created: integer().notNull(),
    createdBy: integer('created_by').notNull(),
    revoked: integer(),
    revokedBy: integer('revoked_by'),
  },
  (table) => [index('access_link_node').on(table.nodeId)],
);

/** The times at which the address of a link was opened. */
export const accessLinkUses = sqliteTable(
  'access_link_use',
  {
    id: integer().primaryKey(),
    linkId: integer('link_id').notNull(),
    at: integer().notNull(),
    /** The address of the client; null if it is unknown. */
    address: text(),
  },
  (table) => [index('access_link_use_link').on(table.linkId)],
);

/** The mails about rules that end: one for each rule of an item. */
export const accessNotices = sqliteTable(
  'access_notice',
  {
    nodeId: integer('node_id').notNull(),
    ruleId: integer('rule_id').notNull(),
    sent: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.nodeId, table.ruleId] })],
);
