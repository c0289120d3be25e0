/** The columns of a table of usage statistics: that of the report, and that of `repo usage import`. */
export const USAGE_COLUMNS: readonly string[] = [
  ...['kind', 'id', 'title', 'url', 'date'],
  ...['views', 'unique_views', 'downloads', 'unique_downloads'],
];
