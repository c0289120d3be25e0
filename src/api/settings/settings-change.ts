import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { Fields, Violation } from '../../field-types/field-type.ts';
import { parseItems } from '../../field-types/parse-items.ts';
import { validateField } from '../../field-types/validate-field.ts';
import { define } from '../../repository/content/base-field.ts';
import { validationFailed } from '../../repository/errors.ts';
import type { SettingChanges } from '../../repository/settings/change-settings.ts';
import { isSettingName, SETTING_NAMES, SETTINGS } from '../../repository/settings/settings.ts';
import { unknownField } from '../content/parse-content.ts';
import { lenientBody } from '../lenient-body.ts';

/**
 * The settings that a body changes, read as leniently as fields are, and a value without a list as well (decisions:
 * lenient in what a write may look like). Throws `unprocessable` for a setting that there is not, and for values
 * that cannot be, all of them at once.
 */
export function parseSettings(body: JsonObject, fields: Fields): SettingChanges {
  const changes: Record<string, boolean> = {};
  const violations: Violation[] = [];
  for (const [name, raw] of Object.entries(body)) {
    if (!isSettingName(name)) throw unknownField(name, SETTING_NAMES);
    const definition = define(name, SETTINGS[name].label, 'boolean', { required: true });
    const items = parseItems(isScalar(raw) ? [raw] : raw, definition, fields.types);
    const found = validateField(items, definition, fields);
    if (found.length === 0) changes[name] = items[0]?.value === true;
    violations.push(...found);
  }
  if (violations.length > 0) throw validationFailed(violations);
  return changes;
}

function isScalar(value: JsonValue): boolean {
  return typeof value !== 'object';
}

/** The body of a change of settings. */
export const settingsChange = lenientBody('SettingsChange', (body, { api }) =>
  parseSettings(body, api.services.fields),
);
