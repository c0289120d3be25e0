/**
 * The permissions of no bundle, in groups, with their effect in words. Their names are those of Drupal and the modules of
 * Islandora.
 */
export const PERMISSION_GROUPS = {
  Items: {
    'access content': 'View published items and terms',
    'view own unpublished content': 'View own unpublished items',
    'view any unpublished content': 'View all unpublished items',
    'bypass node access': 'View, create, edit and delete all items',
    'administer nodes': 'Change author, dates and status, and use all revisions',
    'administer node published status': 'Publish and unpublish items',
    'open restricted content': 'Give an item a rule that is less strict than that of its collection',
    'view all revisions': 'View earlier versions of all items',
    'revert all revisions': 'Restore earlier versions of all items',
    'delete all revisions': 'No effect: revisions are kept',
    'manage members': 'List the members of items',
    'access content overview': 'No effect: the lists show what a caller may view',
  },
  Media: {
    'view media': 'View published media, and read their files',
    'view own unpublished media': 'View own unpublished media',
    'create media': 'Create media of every type',
    'update media': 'Edit own media of every type',
    'update any media': 'Edit all media',
    'delete media': 'Delete own media of every type',
    'delete any media': 'Delete all media',
    'administer media': 'View, create, edit and delete all media',
    'view all media revisions': 'View earlier versions of all media',
    'access media overview': 'Open the overview of media',
    'manage media': 'List the media of items',
    'administer media types': 'No effect: media types are configured in files',
  },
  Files: {
    'delete own files': 'Delete own files',
    'delete any file': 'Read, list and delete all files',
    'replace files': 'No effect: a file is replaced with the right to edit its media',
    'access files overview': 'No effect: the list of files requires “delete any file”',
    'view checksums': 'Read checksums of files',
  },
  'Taxonomy terms': {
    'administer taxonomy': 'View, create, edit and delete all terms',
    'administer configured terms': 'Change and delete terms that the configuration names',
    'access taxonomy overview': 'No effect: the lists show what a caller may view',
  },
  Paragraphs: {
    'bypass paragraphs type content access': 'View, create, edit and delete all paragraphs',
  },
  Addresses: {
    'create url aliases': 'Give own addresses to content that may be edited',
    'administer url aliases': 'Change and delete all addresses of content',
    'administer redirects': 'Manage redirects from old addresses',
    'redirect to other sites': 'Create redirects whose target is another site',
  },
  'Accounts and site': {
    'access user profiles': 'View active users',
    'administer users': 'Manage all users and their roles',
    'cancel account': 'Cancel the own account',
    'administer permissions': 'View this table',
    'administer site configuration': 'Change settings, and manage derivatives and checks of files',
    'access site reports': 'View reports and metrics',
    'use islandora workbench': 'Load content with Islandora Workbench',
    'restful get oai_pmh': 'Harvest metadata by OAI-PMH',
    'restful post oai_pmh': 'Harvest metadata by OAI-PMH with POST',
  },
} as const;

/** The permissions of each bundle or text format, where `NAME` is its name, with their effect in words. */
export const BUNDLE_PERMISSIONS = {
  nodeTypes: {
    'create NAME content': 'Create',
    'edit own NAME content': 'Edit own',
    'edit any NAME content': 'Edit all',
    'delete own NAME content': 'Delete own',
    'delete any NAME content': 'Delete all',
    'view NAME revisions': 'View earlier versions',
    'revert NAME revisions': 'Restore earlier versions',
    'delete NAME revisions': 'No effect: revisions are kept',
  },
  mediaTypes: {
    'create NAME media': 'Create',
    'edit own NAME media': 'Edit own',
    'edit any NAME media': 'Edit all',
    'delete own NAME media': 'Delete own',
    'delete any NAME media': 'Delete all',
  },
  vocabularies: {
    'create terms in NAME': 'Create',
    'edit terms in NAME': 'Edit',
    'delete terms in NAME': 'Delete',
  },
  paragraphTypes: {
    'create paragraph content NAME': 'Create',
    'update paragraph content NAME': 'Edit',
    'delete paragraph content NAME': 'Delete',
  },
  textFormats: { 'use text format NAME': 'Write texts in this format' },
} as const;

type KeyOfEach<Groups> = { [Group in keyof Groups]: keyof Groups[Group] }[keyof Groups];
type BundlePattern = KeyOfEach<typeof BUNDLE_PERMISSIONS>;
type BundlePermission = string & { readonly isPermissionOf: BundlePattern };

/** The name of a permission. Those of bundles come from `permissionOf`. */
export type Permission = KeyOfEach<typeof PERMISSION_GROUPS> | BundlePermission;

/** Returns the permission of a bundle or text format: `create page content` for `create NAME content` and `page`. */
export function permissionOf(pattern: BundlePattern, name: string): Permission {
  return pattern.replace('NAME', () => name) as BundlePermission;
}

export interface Role {
  readonly name: string;
  readonly label: string;
  readonly uuid: string;
  /** True if the role has every permission. */
  readonly isAdmin: boolean;
  readonly permissions: ReadonlySet<Permission>;
}

/** The names of the bundles and text formats of permissions. */
type PermissionScope = Readonly<Record<keyof typeof BUNDLE_PERMISSIONS, Iterable<string>>>;

/** Returns every permission for the configured bundles and text formats. */
export function knownPermissions(scope: PermissionScope): Set<Permission> {
  const known = new Set(Object.values(PERMISSION_GROUPS).flatMap((group) => Object.keys(group) as Permission[]));
  for (const [kind, patterns] of Object.entries(BUNDLE_PERMISSIONS)) {
    for (const name of scope[kind as keyof PermissionScope]) {
      for (const pattern of Object.keys(patterns)) known.add(permissionOf(pattern as BundlePattern, name));
    }
  }
  return known;
}

const SITE_GROUPS = ['Files', 'Taxonomy terms', 'Addresses', 'Accounts and site'] as const;

/** Returns the permissions that concern no items: a role for a collection does not grant them. */
export function sitePermissions(vocabularies: Iterable<string>): Set<Permission> {
  const ofSite = new Set(SITE_GROUPS.flatMap((group) => Object.keys(PERMISSION_GROUPS[group]) as Permission[]));
  for (const name of vocabularies)
    for (const pattern of Object.keys(BUNDLE_PERMISSIONS.vocabularies))
      ofSite.add(permissionOf(pattern as BundlePattern, name));
  return ofSite;
}

/** Returns true if a text is one of the permissions. */
export function isKnown(known: ReadonlySet<Permission>, text: string): text is Permission {
  return known.has(text as Permission);
}
