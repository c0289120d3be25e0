import { etagOf } from '../../http/etag.ts';
import { answerSettings } from '../../pages/admin/settings-page.tsx';
import { paths } from '../../paths.ts';
import { permissionAccess } from '../../repository/access.ts';
import { changeSettings } from '../../repository/settings/change-settings.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { PAGE_AND_JSON_FORMATS } from '../../web/formats.ts';
import {
  changed,
  describe,
  JSON_TYPE,
  PAGE_CONTENT,
  READ_CONDITIONS,
  versioned,
  WRITE_CONDITIONS,
} from '../../web/openapi/describe.ts';
import { plainRepresentation, requireCurrent } from '../../web/respond.ts';
import { settingsChange, settingsJson, settingsSchema } from '../../web/settings-change.ts';

/** Maximum size of a change in bytes. */
const MAX_SETTINGS_BYTES = 64 * 1024;

/** Routes of the settings that an administrator can change at run time (spec: repository, "Link headers on GET and HEAD"). */
export const settingRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.coreSettings, async ({ call }) => (call.format === 'html' ? answerSettings(call) : shown(call)), {
      check: { formats: PAGE_AND_JSON_FORMATS, access: allow },
      detail: describe({
        operationId: 'getCoreSettings',
        tag: 'operation',
        summary: 'Read the settings',
        isForAnyone: false,
        headers: READ_CONDITIONS,
        responses: versioned('The current settings.', { [JSON_TYPE]: settingsSchema, ...PAGE_CONTENT }),
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
          description: 'The change takes effect with the next request.',
          headers: WRITE_CONDITIONS,
          responses: changed('The changed settings.', settingsSchema),
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
