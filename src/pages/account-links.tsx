import { entityPath, paths } from '../paths.ts';
import type { Site } from '../web/site.ts';

interface Props {
  readonly site: Site;
  readonly root: string;
  readonly lang: { readonly lang?: string };
}

/** The links of the header for the user, or to signing in. */
export function AccountLinks({ site: { user }, root, lang }: Props) {
  if (user === undefined)
    return (
      <nav class="account" aria-label="Account" {...lang}>
        <a href={root + paths.login}>Sign in</a>
      </nav>
    );
  return (
    <nav class="account" aria-label="Account" {...lang}>
      {user.mayAdd && <a href={root + paths.nodeAdd}>Add</a>}
      {user.mayManage && <a href={root + paths.admin}>Manage</a>}
      <a class="user-name" href={root + entityPath.user(user.id)}>
        <span class="unseen">Signed in as </span>
        <bdi>{user.name}</bdi>
      </a>
      <a href={root + paths.logout}>Sign out</a>
    </nav>
  );
}
