/** The paths of the pages about access rules. */
export const ACCESS_PAGE_PATHS = {
  /** The page of a node as a stranger sees it, for its editors. */
  nodeViewAs: '/node/:node/view-as',
  accessReport: '/admin/reports/access',
  accessTable: '/admin/reports/access/table',
} as const;
