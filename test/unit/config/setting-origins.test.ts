import { describe, expect, it } from 'bun:test';
import { parseYamlText } from '../../../src/base/yaml-file.ts';
import { configFrom } from '../../../src/config/load-server-config.ts';
import { shownSettings } from '../../../src/config/setting-origins.ts';
import { SETTINGS } from '../../../src/config/settings.ts';

const TEXT = 'baseUrl: https://a.example\nmail: { password: "a long secret" }\nport: 9000\nsiteName: A\n';

describe('the settings that need a restart', () => {
  const file = parseYamlText('repository.yaml', TEXT, () => undefined);
  const shown = new Map(
    shownSettings(configFrom(file, new Map([[SETTINGS.port, 7000]]))).map((each) => [each.key, each]),
  );

  it('have their value and where it comes from', () => {
    expect(shown.get('baseUrl')).toEqual({ key: 'baseUrl', value: 'https://a.example', origin: 'file' });
    expect(shown.get('port')).toEqual({ key: 'port', value: '7000', origin: 'flag' });
    expect(shown.get('tombstones')).toEqual({ key: 'tombstones', value: 'true', origin: 'default' });
  });

  it('show no secrets, and none that change at run time', () => {
    expect(shown.get('mail.password')).toMatchObject({ value: 'set, not shown', origin: 'file' });
    expect(JSON.stringify([...shown.values()])).not.toContain('a long secret');
    expect(shown.has('siteName')).toBe(false);
  });
});
