import { type TProperties, type TSchema, Type as t } from '@sinclair/typebox';
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Fields, Violation } from '../field-types/field-type.ts';
import { parseItems } from '../field-types/parse-items.ts';
import { closed } from '../field-types/schemas.ts';
import { validateField } from '../field-types/validate-field.ts';
import { define } from '../repository/content/base-field.ts';
import { validationFailed } from '../repository/errors.ts';
import type { SettingChanges } from '../repository/settings/change-settings.ts';
import { isSettingName, SETTING_NAMES, SETTINGS, type Settings } from '../repository/settings/settings.ts';
import { formBody } from './form-body.ts';
import { lenientBody, unknownField } from './lenient-body.ts';
import { listOfOne, namedSchema } from './openapi/components.ts';

export const settingsSchema = namedSchema(
  'Settings',
  closed(ofSettings(() => listOfOne(closed({ value: t.Boolean() })))),
);

/** The body of a change of settings. */
export const settingsChange = lenientBody(
  namedSchema('SettingsChange', closed(ofSettings(() => t.Optional(listOfOne(t.Object({ value: t.Boolean() })))))),
  (body, { api }) => parseSettings(body, api.services.fields),
);

/** The form of all settings, which is checked as a change is. A box that is not ticked is not sent. */
export const settingsForms = formBody<SettingChanges>((fields, { api }) =>
  parseSettings(
    Object.fromEntries([
      ...SETTING_NAMES.map((name) => [name, false]),
      ...[...fields].map(([name, value]) => [name, value]),
    ]),
    api.services.fields,
  ),
);

/** Returns a member for each setting, with the description of the setting. */
function ofSettings(schema: () => TSchema): TProperties {
  return Object.fromEntries(
    SETTING_NAMES.map((name) => [name, { ...schema(), description: SETTINGS[name].description }]),
  );
}

/** Returns the settings as JSON, each as a field: `{"allow_header_links":[{"value":true}]}`. */
export function settingsJson(settings: Settings): string {
  return JSON.stringify(Object.fromEntries(SETTING_NAMES.map((name) => [name, [{ value: settings[name] }]])));
}

/**
 * Parses a change of settings as leniently as fields, and bare values (decision 90).
 * Throws `unprocessable` for an unknown setting, and with all problems of the values.
 */
export function parseSettings(body: JsonObject, fields: Fields): SettingChanges {
  const changes: Record<string, boolean> = {};
  const violations: Violation[] = [];
  for (const [name, raw] of Object.entries(body)) {
    if (!isSettingName(name)) throw unknownField(name, SETTING_NAMES);
    const definition = define(name, SETTINGS[name].label, 'boolean', { required: true });
    const items = parseItems(isScalar(raw) ? [raw] : raw, definition, fields.types);
    const problems = validateField(items, definition, fields);
    if (problems.length === 0) changes[name] = items[0]?.value === true;
    violations.push(...problems);
  }
  if (violations.length > 0) throw validationFailed(violations);
  return changes;
}

function isScalar(value: JsonValue): boolean {
  return typeof value !== 'object';
}
