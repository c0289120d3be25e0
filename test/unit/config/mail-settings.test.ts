import { describe, expect, it } from 'bun:test';
import { parseYamlText } from '../../../src/base/yaml-file.ts';
import { configFrom } from '../../../src/config/load-server-config.ts';

const read = (text: string, env: Record<string, string> = {}) =>
  configFrom(parseYamlText('repository.yaml', text, (name) => env[name]));
const SITE = 'baseUrl: https://repository.example.org\n';

describe('the mail server of a configuration', () => {
  it('is read with its password from the environment, and requires TLS', () => {
    const text = `${SITE}mail: { server: "smtps://mail.example.org", from: a@example.org, user: a, password: "\${SECRET}" }`;
    expect(read(text, { SECRET: 'secret' }).mail).toEqual({
      server: 'smtps://mail.example.org',
      from: 'a@example.org',
      user: 'a',
      password: 'secret',
      requireTls: true,
    });
  });

  it.each([
    ['mail.example.org', 'must be an address such as smtp://mail.example.org:587'],
    ['http://mail.example.org', 'must be an address such as'],
    ['smtp://mail.example.org/x', 'must be an address such as'],
    ['smtp://user:geheim@mail.example.org', 'a password goes into REPO_MAIL_PASSWORD'],
  ])('is refused as %s', (server, message) => {
    const problem = () => read(`${SITE}mail: { server: "${server}", from: a@example.org }`);
    expect(problem).toThrow(message);
    expect(problem).not.toThrow('geheim');
  });

  it.each(['nobody', 'a@b, c@d', 'A <a@example.org>'])('refuses the sender %s', (from) => {
    expect(() => read(`${SITE}mail: { server: "smtp://mail.example.org", from: "${from}" }`)).toThrow('mail address');
  });

  it('requires a sender and a configured base URL', () => {
    expect(() => read(`${SITE}mail: { server: "smtp://mail.example.org" }`)).toThrow('mail.from');
    expect(() => read('mail: { server: "smtp://mail.example.org", from: a@example.org }')).toThrow('baseUrl');
  });
});
