import { describe, expect, it } from 'bun:test';
import { parseYamlText } from '../../../src/base/yaml-file.ts';
import { CommandError } from '../../../src/modes/command-error.ts';
import { loadServerConfig, parseServerConfig } from '../../../src/modes/load-repository-config.ts';
import { overrideDatabase } from '../../../src/modes/read-database.ts';

const NONE = { url: undefined, authToken: undefined, syncUrl: undefined };
const parse = (text: string) =>
  parseServerConfig(parseYamlText('repository.yaml', `database: ${text}`, () => undefined));

describe('the database', () => {
  it('is a file in the data folder unless something else is said', async () => {
    expect((await loadServerConfig(undefined, {})).database).toEqual(NONE);
  });

  it.each([
    'file:/srv/repository.db',
    'file:///srv/repository.db',
    'libsql://db.example.org',
    'http://localhost:8080',
    'libsql://db:8080?tls=0',
  ])('may be %s', (url) => {
    expect(parse(`{ url: "${url}" }`).database).toEqual({ ...NONE, url });
    expect(overrideDatabase(NONE, { url })).toEqual({ ...NONE, url });
  });

  it.each(['mysql://db', 'repository.db', 'file:', 'file:a.db?mode=ro', 'file://data/a.db', 'file:///a%2Fb.db'])(
    'must not be %s',
    (url) => {
      expect(() => parse(`{ url: "${url}" }`)).toThrow(
        'database.url must be an address such as file:data/repository.db, libsql://db.example.org or https://db.example.org',
      );
      expect(() => overrideDatabase(NONE, { url })).toThrow(CommandError);
    },
  );

  it.each(['libsql://db.example.org?authToken=geheim', 'https://me:geheim@db.example.org'])(
    'must not have a token in its address, and shows none: %s',
    (url) => {
      const wrong = () => overrideDatabase(NONE, { url });
      expect(wrong).toThrow('a token goes into REPO_DATABASE_AUTH_TOKEN');
      expect(wrong).not.toThrow('geheim');
      expect(() => parse(`{ url: "${url}" }`)).not.toThrow('geheim');
    },
  );

  it('is what the environment says, before what the file says, each part by itself', () => {
    const file = { url: 'libsql://a', authToken: 'one', syncUrl: undefined };
    expect(overrideDatabase(file, { authToken: 'two' })).toEqual({ ...file, authToken: 'two' });
    expect(overrideDatabase(file, { url: 'libsql://b' })).toEqual({ ...file, url: 'libsql://b' });
  });

  it('cannot be a server and a replica of one', () => {
    expect(() => overrideDatabase(NONE, { url: 'libsql://a', syncUrl: 'libsql://b' })).toThrow(
      'A replica of REPO_DATABASE_SYNC_URL is a file',
    );
    expect(overrideDatabase(NONE, { url: 'file:a.db', syncUrl: 'libsql://b' }).syncUrl).toBe('libsql://b');
  });
});
