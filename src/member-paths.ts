/** The templates of the paths of pages about a node and what is below it, a part of `paths`. */
export const MEMBER_PATHS = {
  /** The page on which a node is published or unpublished, with its members. */
  nodePublication: '/node/:node/publication',
  /** The page on which the members of a node are put in order. */
  nodeOrder: '/node/:node/order',
  /** The page with the roles of users for a node and everything below it. */
  nodeRoles: '/node/:node/roles',
} as const;
