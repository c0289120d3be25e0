import { siteRoot } from '../../field-types/display/addresses.ts';
import { entityPath, pathOf } from '../../paths.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { ItemCrumbs } from '../cards/breadcrumbs.tsx';
import { DataTable } from '../data-table.tsx';
import { errorOf, type FormProblem } from '../forms/error-summary.tsx';
import { Select, TextInput } from '../forms/field.tsx';
import { ActionBar, FormToken, formPage } from '../forms/form-page.tsx';

/** A role that a user holds for a collection, or that may be given. */
interface LabelledRole {
  readonly role: string;
  readonly label: string;
}

/** The page with the roles for a collection. */
export interface CollectionRoles {
  readonly id: number;
  readonly title: string;
  readonly token: string;
  readonly held: readonly (LabelledRole & {
    readonly userId: number;
    readonly name: string;
    readonly mayTake: boolean;
  })[];
  /** The roles that the caller may give. */
  readonly roles: readonly LabelledRole[];
  /** The name and the role that the caller has typed. */
  readonly typed: { readonly user: string; readonly role: string };
  readonly errors: readonly FormProblem[];
}

/** Returns the page on which roles for a collection are given and taken away. */
export function collectionRolesPage(data: CollectionRoles, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  const { id, title, token, held, roles, typed, errors } = data;
  const back = root + entityPath.node(id);
  const action = root + pathOf('nodeRoles', { node: id });
  return formPage({
    site,
    heading: `Roles for “${title}”`,
    errors,
    crumbs: <ItemCrumbs address={back} title={title} />,
    children: (
      <>
        <p class="lead">
          A role for a collection holds for the collection and for everything below it. It permits nothing about terms,
          accounts and settings.
        </p>
        {held.length > 0 && (
          <DataTable label="Roles" heads={['User', 'Role', 'Take away']}>
            {held.map((each) => (
              <tr key={`${each.userId} ${each.role}`}>
                <td>{each.name}</td>
                <td>{each.label}</td>
                <td>
                  {each.mayTake && (
                    <form method="post" action={action}>
                      <FormToken token={token} />
                      <input type="hidden" name="take" value={each.userId} />
                      <button
                        class="button"
                        type="submit"
                        name="role"
                        value={each.role}
                        aria-label={`Take away ${each.label} from ${each.name}`}
                      >
                        Take away
                      </button>
                    </form>
                  )}
                </td>
              </tr>
            ))}
          </DataTable>
        )}
        <form method="post" action={action}>
          <FormToken token={token} />
          <h2>Give a role</h2>
          <TextInput name="user" label="User name" value={typed.user} error={errorOf(errors, 'user')} required />
          <Select
            name="role"
            label="Role"
            value={typed.role}
            error={errorOf(errors, 'role')}
            options={roles.map(({ role, label }) => ({ value: role, label }))}
          />
          <ActionBar>
            <button class="button" type="submit">
              Give the role
            </button>
            <a href={back}>Cancel</a>
          </ActionBar>
        </form>
      </>
    ),
  });
}
