/** The columns of a table of usage statistics. */
export const USAGE_COLUMNS = [
  ...['kind', 'id', 'title', 'url', 'date'],
  ...['views', 'unique_views', 'downloads', 'unique_downloads'],
] as const;
