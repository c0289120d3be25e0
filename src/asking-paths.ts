/** The paths of requests for closed files, and of the links that open them. */
export const ASKING_PATHS = {
  /** The form with which readers ask for the files of a node. */
  nodeAsk: '/node/:node/ask',
  /** The links that open the files of a node, for its editors. */
  nodeAccessLinks: '/node/:node/access-links',
  accessRequests: '/admin/content/access-requests',
  accessRequest: '/admin/content/access-requests/:request',
  /** A link that opens the files of a node. */
  accessLink: '/access/link/:token',
  /** The page on which a reader confirms the mail address of a request. */
  accessConfirm: '/access/confirm/:token',
} as const;
