/** Permissions that do not depend on what is configured (names as in Drupal and the modules around Islandora). */
const FIXED_PERMISSIONS = [
  ...['access content', 'access content overview', 'administer nodes', 'administer node published status'],
  ...['bypass node access', 'view own unpublished content', 'view any unpublished content'],
  ...['view all revisions', 'revert all revisions', 'delete all revisions'],
  ...['view media', 'view own unpublished media', 'administer media', 'administer media types', 'create media'],
  ...['access media overview', 'update media', 'update any media', 'delete media', 'delete any media'],
  'view all media revisions',
  ...['administer taxonomy', 'access taxonomy overview', 'administer configured terms'],
  ...['access files overview', 'delete own files', 'delete any file', 'replace files'],
  ...['create url aliases', 'administer url aliases', 'administer redirects'],
  ...['access user profiles', 'administer users', 'administer permissions', 'administer site configuration'],
  'access site reports',
  ...['view checksums', 'manage members', 'manage media', 'use islandora workbench'],
  'bypass paragraphs type content access',
  ...['restful get oai_pmh', 'restful post oai_pmh'],
];

/** The names of what permissions can be about. */
export interface PermissionScope {
  readonly nodeTypes: Iterable<string>;
  readonly mediaTypes: Iterable<string>;
  readonly vocabularies: Iterable<string>;
  readonly paragraphTypes: Iterable<string>;
  readonly textFormats: Iterable<string>;
}

/** Every permission that there is for the configured bundles and text formats. */
export function knownPermissions(scope: PermissionScope): Set<string> {
  const known = new Set(FIXED_PERMISSIONS);
  for (const name of scope.nodeTypes) for (const permission of contentPermissions(name)) known.add(permission);
  for (const name of scope.mediaTypes) for (const permission of mediaPermissions(name)) known.add(permission);
  for (const name of scope.vocabularies) for (const permission of termPermissions(name)) known.add(permission);
  for (const name of scope.paragraphTypes) for (const permission of paragraphPermissions(name)) known.add(permission);
  for (const name of scope.textFormats) known.add(`use text format ${name}`);
  return known;
}

function contentPermissions(bundle: string): string[] {
  return [
    ...['create', 'edit own', 'edit any', 'delete own', 'delete any'].map((act) => `${act} ${bundle} content`),
    ...['view', 'revert', 'delete'].map((act) => `${act} ${bundle} revisions`),
  ];
}

function mediaPermissions(bundle: string): string[] {
  return ['create', 'edit own', 'edit any', 'delete own', 'delete any'].map((act) => `${act} ${bundle} media`);
}

function termPermissions(bundle: string): string[] {
  return ['create', 'edit', 'delete'].map((act) => `${act} terms in ${bundle}`);
}

function paragraphPermissions(bundle: string): string[] {
  return ['create', 'update', 'delete'].map((act) => `${act} paragraph content ${bundle}`);
}
