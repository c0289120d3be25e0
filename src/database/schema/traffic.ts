import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Requests of an hour, by what they have in common. An empty name stands for all that are too many to list. */
export const traffic = sqliteTable(
  'traffic',
  {
    /** Hours since 1970. */
    hour: integer().notNull(),
    /** `network`, `agent` or `work`. */
    kind: text().notNull(),
    name: text().notNull(),
    requests: integer().notNull(),
    /** Those that a budget refused. */
    refused: integer().notNull(),
    /** The measured time of expensive work. */
    milliseconds: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.hour, table.kind, table.name] })],
);
