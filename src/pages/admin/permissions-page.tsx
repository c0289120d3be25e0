import { countInWords } from '../../base/in-words.ts';
import { paths } from '../../paths.ts';
import { resource } from '../../web/check.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { type HtmlPage, pageRepresentation } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { ScrollFrame } from '../scroll-frame.tsx';
import { defineAdminPage } from './define-admin-page.ts';
import { type PermissionGroup, type PermissionRow, type PermissionTable, permissionTable } from './permission-table.ts';
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
