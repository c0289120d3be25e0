import { etagOf } from '../../http/etag.ts';
import { paths } from '../../paths.ts';
import { permissionAccess } from '../../repository/access.ts';
import { changeSettings } from '../../repository/settings/change-settings.ts';
import type { ApiServices } from '../api-services.ts';
import type { Call } from '../call.ts';
import { resource } from '../check.ts';
import { jsonOf, READ_CONDITIONS, versioned, WRITE_CONDITIONS } from '../openapi/answers.ts';
import { describe } from '../openapi/describe.ts';
import { VERSION_HEADERS } from '../openapi/headers.ts';
import { plainRepresentation, requireCurrent } from '../respond.ts';
import { settingsChange } from './settings-change.ts';
import { settingsJson } from './settings-json.ts';

/** The maximum size of a change in bytes: room for every setting many times over. */
const MAX_SETTINGS_BYTES = 64 * 1024;

/** The settings that an administrator changes while the repository runs (spec: repository, "Link headers on GET and HEAD"). */
export const settingRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.coreSettings, async ({ call }) => shown(call), {
      check: { access: allow },
      detail: describe({
        operationId: 'getCoreSettings',
        tag: 'operation',
        summary: 'Read the settings',
        isForAnyone: false,
        headers: READ_CONDITIONS,
        responses: versioned('The settings as they are now.', jsonOf('Settings')),
        failures: [403, 412],
      }),
    })
    .patch(
      paths.coreSettings,
      async ({ call, body }) => {
        await changeSettings(api.services.database, body, (current) =>
          requireCurrent(call, () => etagOf(settingsJson(current)), undefined),
        );
        return shown(call);
      },
      {
        check: { json: true, maxBytes: MAX_SETTINGS_BYTES, access: allow },
        body: settingsChange,
        detail: describe({
          operationId: 'changeCoreSettings',
          tag: 'operation',
          summary: 'Change settings',
          description: 'In force for the next request.',
          headers: WRITE_CONDITIONS,
          responses: {
            200: {
              description: 'The settings as they are now.',
              headers: VERSION_HEADERS,
              content: jsonOf('Settings'),
            },
          },
          failures: [403, 409, 412, 413, 422, 507],
        }),
      },
    );

function allow(call: Call): void {
  call.allow(permissionAccess(call.actor, 'administer site configuration'));
}

async function shown(call: Call): Promise<Response> {
  return plainRepresentation(call, settingsJson((await call.api.findSettings()).value), undefined);
}
