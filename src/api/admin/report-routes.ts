import { etagOf } from '../../http/etag.ts';
import { paths } from '../../paths.ts';
import { permissionAccess } from '../../repository/access.ts';
import { permissionTable } from '../../representation/permission-table.ts';
import type { ApiServices, Page } from '../api-services.ts';
import type { Call } from '../call.ts';
import { resource } from '../check.ts';
import { PAGE_FORMATS } from '../formats.ts';
import { describe, PAGE_CONTENT, READ_CONDITIONS, versioned } from '../openapi/describe.ts';
import { representation } from '../respond.ts';

/** The routes of reports that only read. */
export function reportRoutes(api: ApiServices) {
  const table = permissionTable(api.services.model);
  return resource(api)
    .get(paths.permissions, ({ call }) => reportAnswer(call, api.pages.permissions(table, call.site)), {
      check: {
        formats: PAGE_FORMATS,
        access: (call: Call) => call.allow(permissionAccess(call.actor, 'administer permissions')),
      },
      detail: describe({
        operationId: 'getPermissionsPage',
        tag: 'pages',
        summary: 'Show the permissions of all roles',
        isForAnyone: false,
        headers: READ_CONDITIONS,
        responses: versioned('Roles and permissions.', PAGE_CONTENT, ['Content-Security-Policy']),
        failures: [403, 412],
      }),
    })
    .get(
      paths.statusReport,
      async ({ call }) => reportAnswer(call, api.pages.status(await api.readStatus(), call.site)),
      {
        check: {
          formats: PAGE_FORMATS,
          access: (call: Call) => call.allow(permissionAccess(call.actor, 'access site reports')),
        },
        detail: describe({
          operationId: 'getStatusPage',
          tag: 'operation',
          summary: 'Show the state of the repository',
          description: 'Versions, database, content, programs, queue, storage, backups and checks, with advice.',
          isForAnyone: false,
          headers: READ_CONDITIONS,
          responses: versioned('The state of each part.', PAGE_CONTENT, ['Content-Security-Policy']),
          failures: [403, 412],
        }),
      },
    );
}

/** Answers a page without a form. */
function reportAnswer(call: Call, page: Page): Response {
  return representation(call, { ...page, etag: etagOf(page.body), changed: undefined });
}
