/** The paths of the Reconciliation Service API, for OpenRefine. */
export const RECONCILE_PATHS = {
  reconcile: '/reconcile',
  reconcileEntities: '/reconcile/suggest/entity',
  reconcileTypes: '/reconcile/suggest/type',
  reconcileSuggestProperties: '/reconcile/suggest/property',
  reconcileProperties: '/reconcile/properties',
  reconcilePreview: '/reconcile/preview/:taxonomy_term',
} as const;
