/** The paths of the usage statistics. */
export const USAGE_PATHS = {
  /** The COUNTER API (SUSHI), release 5.1. */
  counterStatus: '/sushi/r51/status',
  counterMembers: '/sushi/r51/members',
  counterReports: '/sushi/r51/reports',
  counterReport: '/sushi/r51/reports/:report',
  usage: '/admin/reports/usage',
  usageTable: '/admin/reports/usage/table',
} as const;
