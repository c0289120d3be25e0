import { paths } from '../paths.ts';
import { permissionAccess } from '../repository/access.ts';
import type { Access } from '../repository/access-rule.ts';
import type { Actor } from '../repository/actor.ts';
import { accountAccess, mediaOverviewAccess } from '../repository/core-right.ts';

/** A page for the management of the repository. */
export interface AdminPage {
  readonly path: string;
  readonly label: string;
  readonly description: string;
  readonly access: (actor: Actor) => Access;
}

/** The pages that `/admin` lists, in their order. */
const ADMIN_PAGES: readonly AdminPage[] = [
  {
    path: paths.vocabularies,
    label: 'Vocabularies',
    description: 'The lists of names and subjects from which items choose.',
    access: (actor) => permissionAccess(actor, 'administer taxonomy'),
  },
  {
    path: paths.mediaOverview,
    label: 'Media',
    description: 'The files of all items, the newest first.',
    access: mediaOverviewAccess,
  },
  { path: paths.users, label: 'People', description: 'The accounts of this repository.', access: accountAccess },
];

/** Returns the pages for the management that the actor may open. */
export function adminPagesFor(actor: Actor): readonly AdminPage[] {
  return ADMIN_PAGES.filter(({ access }) => access(actor).isAllowed);
}
