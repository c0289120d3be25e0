import { paths } from '../paths.ts';
import { nodeAccess, permissionAccess } from '../repository/access.ts';
import type { Access } from '../repository/access-rule.ts';
import type { Actor } from '../repository/actor.ts';
import type { ContentKinds } from '../repository/content/kinds.ts';
import { accountAccess, mediaOverviewAccess, nodeOverviewAccess } from '../repository/core-right.ts';

/** A page for the management of the repository. */
export interface AdminPage {
  readonly path: string;
  readonly label: string;
  readonly description: string;
  readonly access: (actor: Actor, kinds: ContentKinds) => Access;
}

const mayReadReports = (actor: Actor) => permissionAccess(actor, 'access site reports');

/** The pages that `/admin` lists, in their order. */
const ADMIN_PAGES: readonly AdminPage[] = [
  {
    path: paths.vocabularies,
    label: 'Vocabularies',
    description: 'The lists of names and subjects from which items choose.',
    access: (actor) => permissionAccess(actor, 'administer taxonomy'),
  },
  {
    path: paths.nodeOverview,
    label: 'Content',
    description: 'All items: find, publish, move and delete many at once.',
    access: nodeOverviewAccess,
  },
  {
    path: paths.mediaOverview,
    label: 'Media',
    description: 'Files and derivatives of all items.',
    access: mediaOverviewAccess,
  },
  {
    path: paths.accessibility,
    label: 'Accessibility',
    description: 'Pictures without alternative text, recordings without captions, items without language.',
    access: nodeOverviewAccess,
  },
  {
    path: paths.tableImports,
    label: 'Import a table',
    description: 'Items and their files from a CSV table, checked before anything is created.',
    access: (actor, { node }) => nodeAccess.createAny(actor, node.bundles.keys()),
  },
  { path: paths.users, label: 'People', description: 'The accounts of this repository.', access: accountAccess },
  {
    path: paths.permissions,
    label: 'Permissions',
    description: 'The permissions of each role.',
    access: (actor) => permissionAccess(actor, 'administer permissions'),
  },
  {
    path: paths.coreSettings,
    label: 'Settings',
    description: 'Settings that change while the repository runs.',
    access: (actor) => permissionAccess(actor, 'administer site configuration'),
  },
  {
    path: paths.statusReport,
    label: 'Status',
    description: 'Versions, database, storage, programs, queue and backups, with what to do.',
    access: mayReadReports,
  },
  {
    path: paths.derivatives,
    label: 'Derivatives',
    description: 'Thumbnails, texts and other generated files: what waits, what failed, and why.',
    access: mayReadReports,
  },
  {
    path: paths.fixity,
    label: 'Checks of stored files',
    description: 'Files that are damaged or missing, and the last checks.',
    access: mayReadReports,
  },
];

/** Returns the pages for the management that the actor may open. */
export function adminPagesFor(actor: Actor, kinds: ContentKinds): readonly AdminPage[] {
  return ADMIN_PAGES.filter(({ access }) => access(actor, kinds).isAllowed);
}
