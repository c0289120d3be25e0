import { index, integer, primaryKey, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/** Distinct access rules, as canonical JSON (`repository/access/rule.ts`). A row never changes. */
export const accessRules = sqliteTable('access_rule', {
  id: integer().primaryKey({ autoIncrement: true }),
  rule: text().notNull().unique(),
});

/**
 * Distinct sets of what decides the access to content, as a text of references: `r3` is a rule of the content itself, `n5`
 * whatever holds for the node 5, `g7` the permissions for the node 7 alone. A row never changes.
 */
export const accessSets = sqliteTable('access_set', {
  id: integer().primaryKey({ autoIncrement: true }),
  parts: text().notNull().unique(),
});

/** The access set of each node that has one: of those with a rule, and of those below them. Id 0 stands for none. */
export const nodeAccess = sqliteTable(
  'node_access',
  {
    nid: integer().primaryKey(),
    setId: integer('set_id').notNull(),
    /** The rule that its editors chose, and that of its access terms; null for none. */
    ruleId: integer('rule_id'),
    termsRuleId: integer('terms_rule_id'),
    /** True once a link has opened the node to somebody, or a user got a role for it: its set is then its own. */
    isGranted: integer('is_granted', { mode: 'boolean' }).notNull().default(false),
    /** The time of the last change of its set, in seconds since 1970. */
    changed: integer().notNull(),
    /** Grows with every write of any row: a reader asks for what changed since the last one it saw. */
    sequence: integer().notNull(),
  },
  (table) => [
    uniqueIndex('node_access_sequence').on(table.sequence),
    index('node_access_rule').on(table.ruleId),
    // The orders of harvests (`access/harvest-order.ts`).
    index('node_access_changed').on(table.changed),
    index('node_access_set').on(table.setId),
  ],
);

/** The access set of each media that has access terms of its own. */
export const mediaAccess = sqliteTable('media_access', {
  mid: integer().primaryKey(),
  setId: integer('set_id').notNull(),
});

/** Nodes whose members refer to them in their sets (`n5`), so that a change of their rule is one row. */
export const accessAnchors = sqliteTable('access_anchor', {
  nid: integer().primaryKey(),
  /** False until all of its members do. */
  isWhole: integer('is_whole', { mode: 'boolean' }).notNull(),
});

/**
 * Roles that users hold for a collection and everything below it. Triggers delete those of a deleted collection and of a deleted
 * account.
 */
export const collectionRoles = sqliteTable(
  'collection_role',
  {
    nid: integer().notNull(),
    userId: integer('user_id').notNull(),
    role: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.nid, table.userId, table.role] })],
);
