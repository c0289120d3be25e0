import { countInWords } from '../../base/in-words.ts';
import type { ContentModel } from '../../model/content-model.ts';
import { BUNDLE_PERMISSIONS, PERMISSION_GROUPS, type Permission, permissionOf } from '../../model/permissions.ts';
import { paths } from '../../paths.ts';
import { resource } from '../../web/check.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { type HtmlPage, pageRepresentation } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { ScrollFrame } from '../scroll-frame.tsx';
import { defineAdminPage } from './define-admin-page.ts';
import { reportPage } from './report-frame.tsx';

/** The page of the permissions of all roles. */
export const permissionsAdminPage = defineAdminPage({
  path: paths.permissions,
  label: 'Permissions',
  description: 'The permissions of each role.',
  permission: 'administer permissions',
  routes(api, access) {
    const table = permissionTable(api.services.model);
    return resource(api).get(
      paths.permissions,
      ({ call }) => pageRepresentation(call, permissionsPage(table, call.site)),
      {
        check: { formats: PAGE_FORMATS, access },
      },
    );
  },
});

type Roles = PermissionTable['roles'];

function permissionsPage({ roles, groups }: PermissionTable, site: Site): HtmlPage {
  const count = groups.reduce((sum, { rows }) => sum + rows.length, 0);
  return reportPage({
    site,
    title: 'Permissions',
    lead: `The permissions of each role: ${countInWords(count, 'permission')}, ${countInWords(roles.length, 'role')}. Every signed-in user also has the role of authenticated users. Roles are configured in files: see “roles” in config/access.yaml.`,
    children: (
      <ScrollFrame label="Permissions by role" class="matrix">
        <table>
          <thead>
            <tr>
              <th scope="col">Permission</th>
              {roles.map(({ name, label }) => (
                <th key={name} scope="col">
                  {label}
                  <code>{name}</code>
                </th>
              ))}
            </tr>
          </thead>
          {groups.map((group) => (
            <Group key={group.title} group={group} roles={roles} />
          ))}
        </table>
      </ScrollFrame>
    ),
  });
}

function Group({ group: { title, rows }, roles }: { readonly group: PermissionGroup; readonly roles: Roles }) {
  return (
    <tbody>
      <tr class="group">
        <th scope="rowgroup" colSpan={roles.length + 1}>
          {title}
        </th>
      </tr>
      {rows.map((row) => (
        <tr key={row.name}>
          <th scope="row">
            {row.words}
            <code>{row.name}</code>
          </th>
          {roles.map((role) => (
            <Cell key={role.name} row={row} role={role} />
          ))}
        </tr>
      ))}
    </tbody>
  );
}

function Cell({ row, role }: { readonly row: PermissionRow; readonly role: Roles[number] }) {
  if (role.isAdmin || row.roles.has(role.name))
    return (
      <td>
        <span aria-hidden="true">✓</span>
        <span class="unseen">Yes</span>
      </td>
    );
  return (
    <td>
      <span class="unseen">No</span>
    </td>
  );
}

/** A permission with the roles that have it. */
interface PermissionRow {
  readonly name: string;
  /** Its effect in words. */
  readonly words: string;
  /** The names of the roles that have it by their own list. */
  readonly roles: ReadonlySet<string>;
}

/** Permissions about one subject. */
interface PermissionGroup {
  readonly title: string;
  readonly rows: readonly PermissionRow[];
}

/** The permissions of all roles, as the configuration states them. */
interface PermissionTable {
  readonly roles: readonly { readonly name: string; readonly label: string; readonly isAdmin: boolean }[];
  readonly groups: readonly PermissionGroup[];
}

interface LabelledName {
  readonly name: string;
  readonly label: string;
}

/** Returns every permission of a content model with the roles that have it. */
export function permissionTable(model: ContentModel): PermissionTable {
  const roles = [...model.roles.values()];
  const rowOf = (name: Permission, words: string): PermissionRow => ({
    name,
    words,
    roles: new Set(roles.filter((role) => role.permissions.has(name)).map((role) => role.name)),
  });
  const fixed = Object.entries(PERMISSION_GROUPS).map(([title, words]) => ({
    title,
    rows: entriesOf(words).map(([name, effect]) => rowOf(name, effect)),
  }));
  const ofBundles = (title: string, kind: keyof typeof BUNDLE_PERMISSIONS) =>
    Array.from<LabelledName, PermissionGroup>(model[kind].values(), ({ name, label }) => ({
      title: `${title}: ${label}`,
      rows: entriesOf(BUNDLE_PERMISSIONS[kind]).map(([pattern, words]) => rowOf(permissionOf(pattern, name), words)),
    }));
  return {
    roles: roles.map(({ name, label, isAdmin }) => ({ name, label, isAdmin })),
    groups: [
      ...fixed,
      ...ofBundles('Content type', 'nodeTypes'),
      ...ofBundles('Media type', 'mediaTypes'),
      ...ofBundles('Vocabulary', 'vocabularies'),
      ...ofBundles('Paragraph type', 'paragraphTypes'),
      ...ofBundles('Text format', 'textFormats'),
    ],
  };
}

function entriesOf<Name extends string>(words: Readonly<Partial<Record<Name, string>>>): [Name, string][] {
  return Object.entries(words) as [Name, string][];
}
