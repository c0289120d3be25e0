import { SETTING_NAMES, type Settings } from '../../repository/settings/settings.ts';

/** The settings as JSON text, each in the form of a field: `{"allow_header_links":[{"value":true}]}`. */
export function settingsJson(settings: Settings): string {
  return JSON.stringify(Object.fromEntries(SETTING_NAMES.map((name) => [name, [{ value: settings[name] }]])));
}
