/** A query that has no end. */
export const ENDLESS = {
  sql: `SELECT max(n) FROM (WITH RECURSIVE count(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM count) SELECT n FROM count)`,
  args: [],
};
