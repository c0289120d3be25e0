import { etagOf } from '../../http/etag.ts';
import { paths } from '../../paths.ts';
import { permissionAccess } from '../../repository/access.ts';
import { changeSettings } from '../../repository/settings/change-settings.ts';
import { SETTING_NAMES, SETTINGS } from '../../repository/settings/settings.ts';
import type { ApiServices } from '../api-services.ts';
import type { Call } from '../call.ts';
import { resource } from '../check.ts';
import { JSON_FORMATS, PAGE_FORMATS } from '../formats.ts';
import { formPage, seeOther } from '../forms/form-answer.ts';
import {
  changed,
  describe,
  HIDDEN,
  JSON_TYPE,
  PAGE_CONTENT,
  READ_CONDITIONS,
  versioned,
  WRITE_CONDITIONS,
} from '../openapi/describe.ts';
import { plainRepresentation, requireCurrent, VARY_BY_ACCEPT } from '../respond.ts';
import { settingsChange, settingsForms, settingsJson, settingsSchema } from './settings-change.ts';

/** Maximum size of a change in bytes. */
const MAX_SETTINGS_BYTES = 64 * 1024;

/** Routes of the settings that an administrator can change at run time (spec: repository, "Link headers on GET and HEAD"). */
export const settingRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.coreSettings, async ({ call }) => (call.format === 'html' ? settingsForm(call) : shown(call)), {
      check: { formats: { ...JSON_FORMATS, ...PAGE_FORMATS }, access: allow },
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
    )
    .post(
      paths.coreSettings,
      async ({ call, body }) => {
        await changeSettings(api.services.database, body);
        return seeOther(call, paths.coreSettings, 'The settings are saved.');
      },
      {
        check: { form: 'signed', formats: PAGE_FORMATS, maxBytes: MAX_SETTINGS_BYTES, access: allow },
        body: settingsForms,
        detail: HIDDEN,
      },
    );

/** Returns the form of all settings. */
async function settingsForm(call: Call): Promise<Response> {
  const { value } = await call.api.findSettings();
  const settings = SETTING_NAMES.map((name) => {
    const { label, description, default: standard } = SETTINGS[name];
    return { name, label, description, value: value[name], isDefault: value[name] === standard };
  });
  const headers = { ETag: etagOf(settingsJson(value)), ...(call.isNegotiated && { Vary: VARY_BY_ACCEPT }) };
  return formPage(call.api.pages.settings({ settings, formToken: call.formToken }, call.site), 200, headers);
}

function allow(call: Call): void {
  call.allow(permissionAccess(call.actor, 'administer site configuration'));
}

async function shown(call: Call): Promise<Response> {
  return plainRepresentation(call, settingsJson((await call.api.findSettings()).value), undefined);
}
