import { countInWords } from '../../base/in-words.ts';
import type { Site } from '../../representation/page-data.ts';
import type { PermissionGroup, PermissionRow, PermissionTable } from '../../representation/permission-table.ts';
import type { HtmlPage } from '../layout.tsx';
import { ScrollFrame } from '../scroll-frame.tsx';
import { reportPage } from './report-frame.tsx';

type Roles = PermissionTable['roles'];

/** Returns the page of the permissions of all roles. */
export function permissionsPage({ roles, groups }: PermissionTable, site: Site): HtmlPage {
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
