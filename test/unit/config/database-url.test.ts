import { describe, expect, it } from 'bun:test';
import { CommandError } from '../../../src/base/errors.ts';
import { parseYamlText } from '../../../src/base/yaml-file.ts';
import { configFrom } from '../../../src/config/load-server-config.ts';
import type { Setting } from '../../../src/config/setting.ts';
import { SETTINGS } from '../../../src/config/settings.ts';

const NONE = { url: undefined, authToken: undefined, syncUrl: undefined };
const { url: URL_SETTING, authToken: TOKEN, syncUrl: SYNC_URL } = SETTINGS.database;
const fileWith = (text: string) => parseYamlText('repository.yaml', `database: ${text}`, () => undefined);
const parse = (text: string) => configFrom(fileWith(text)).database;
const override = (overrides: [Setting, string][], text = '{}') =>
  configFrom(fileWith(text), new Map(overrides)).database;

describe('the database', () => {
  it('defaults to a file in the data folder', () => {
    expect(configFrom(undefined).database).toEqual(NONE);
  });

  it.each([
    'file:/srv/repository.db',
    'file:///srv/repository.db',
    'libsql://db.example.org',
    'http://localhost:8080',
    'libsql://db:8080?tls=0',
  ])('may be %s', (url) => {
    expect(parse(`{ url: "${url}" }`)).toEqual({ ...NONE, url });
    expect(override([[URL_SETTING, url]])).toEqual({ ...NONE, url });
  });

  it.each(['mysql://db', 'repository.db', 'file:', 'file:a.db?mode=ro', 'file://data/a.db', 'file:///a%2Fb.db'])(
    'must not be %s',
    (url) => {
      expect(() => parse(`{ url: "${url}" }`)).toThrow(
        'database.url must be an address such as file:data/repository.db, libsql://db.example.org or https://db.example.org',
      );
      expect(() => override([[URL_SETTING, url]])).toThrow(CommandError);
    },
  );

  it.each(['libsql://db.example.org?authToken=geheim', 'https://me:geheim@db.example.org'])(
    'rejects a token in its address without showing it: %s',
    (url) => {
      const wrong = () => override([[URL_SETTING, url]]);
      expect(wrong).toThrow('a token goes into REPO_DATABASE_AUTH_TOKEN');
      expect(wrong).not.toThrow('geheim');
      expect(() => parse(`{ url: "${url}" }`)).not.toThrow('geheim');
    },
  );

  it('reads each setting from the environment before the file', () => {
    const file = { url: 'libsql://a', authToken: 'one', syncUrl: undefined };
    const text = '{ url: "libsql://a", authToken: one }';
    expect(override([[TOKEN, 'two']], text)).toEqual({ ...file, authToken: 'two' });
    expect(override([[URL_SETTING, 'libsql://b']], text)).toEqual({ ...file, url: 'libsql://b' });
  });

  it('cannot be both a server and a replica', () => {
    const replicaOf = (url: string) =>
      override([
        [URL_SETTING, url],
        [SYNC_URL, 'libsql://b'],
      ]);
    expect(() => replicaOf('libsql://a')).toThrow('A replica of REPO_DATABASE_SYNC_URL is a file');
    expect(replicaOf('file:a.db').syncUrl).toBe('libsql://b');
  });
});
