/**
 * The present in SQL, in seconds since 1970 with fractions: of many machines that share a database, all go by its
 * clock.
 */
export const NOW = "unixepoch('subsec')";
