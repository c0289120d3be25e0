/** The paths of the pages on which editors manage content, a part of `paths`. */
export const managementPaths = {
  nodeOverview: '/admin/content',
  bulkRuns: '/admin/content/bulk',
  bulkConfirm: '/admin/content/bulk/confirm',
  bulkTerms: '/admin/content/bulk/terms/:entity_type/:field_name',
  bulkRun: '/admin/content/bulk/:run',
  bulkStop: '/admin/content/bulk/:run/stop',
  bulkResume: '/admin/content/bulk/:run/resume',
  bulkUndo: '/admin/content/bulk/:run/undo',
  accessibility: '/admin/reports/accessibility',
} as const;
