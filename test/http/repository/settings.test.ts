import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { changeSettings } from '../../../src/repository/settings/change-settings.ts';
import { findSettings } from '../../../src/repository/settings/find-settings.ts';
import { signIn, tokenOf } from '../../support/repository-routes.ts';
import { startServer } from '../../support/server-process.ts';
import {
  ADMIN_PASSWORD,
  createTestRepository,
  othersFollow,
  type TestRepository,
} from '../../support/test-repository.ts';

const PATH = '/admin/config/islandora/core?_format=json';
const ON = { allow_header_links: [{ value: true }] };
const OFF = { allow_header_links: [{ value: false }] };

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('reader');
  await repository.user('editor', 'content_editor', 'workbench_user');
  await repository.user('second', 'administrator');
});
beforeEach(() => changeSettings(database(), { allow_header_links: true }));
afterAll(() => repository.stop());

const database = () => repository.running.services.database;
const stored = async () => (await findSettings(database())).allow_header_links;

async function answerOf(response: Response): Promise<[number, unknown]> {
  return [response.status, await response.json()];
}

describe('the settings', () => {
  it('are read by an administrator', async () => {
    const response = await repository.get(PATH, 'second');
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('cache-control')).toBe('must-revalidate, no-cache, private');
    expect(await answerOf(response)).toEqual([200, ON]);
  });

  it('are changed by an administrator and returned with their new values', async () => {
    expect(await answerOf(await repository.patch(PATH, OFF, 'second'))).toEqual([200, OFF]);
    expect(await answerOf(await repository.get(PATH, 'admin'))).toEqual([200, OFF]);
    expect(await answerOf(await repository.patch(PATH, ON, 'admin'))).toEqual([200, ON]);
    expect(await answerOf(await repository.get(PATH, 'admin'))).toEqual([200, ON]);
  });

  it('stay unchanged if the body names none', async () => {
    await repository.patch(PATH, OFF, 'admin');
    expect(await answerOf(await repository.patch(PATH, {}, 'admin'))).toEqual([200, OFF]);
  });

  it.each<[unknown]>([[{ value: '0' }], [['0']], [[{ value: 0 }]], [false], ['false']])(
    'accept %j as off',
    async (value) => {
      const response = await repository.patch(PATH, { allow_header_links: value }, 'admin');
      expect(await answerOf(response)).toEqual([200, OFF]);
    },
  );

  it('survive a restart', async () => {
    await repository.patch(PATH, OFF, 'admin');
    await repository.restart();
    expect(await answerOf(await repository.get(PATH, 'admin'))).toEqual([200, OFF]);
  });

  it('take effect with the next request to every process', async () => {
    const other = await startServer({
      data: repository.dataFolder,
      settings: { database: repository.config.database },
    });
    try {
      const headers = { 'Content-Type': 'application/json' };
      for (const wanted of [OFF, ON, OFF]) {
        await repository.patch(PATH, wanted, 'admin');
        await othersFollow();
        expect(await answerOf(await other.fetch(PATH))).toEqual([200, wanted]);
      }
      const body = JSON.stringify(ON);
      expect((await other.fetch(PATH, { method: 'PATCH', headers, body })).status).toBe(200);
      await othersFollow();
      expect(await answerOf(await repository.get(PATH, 'admin'))).toEqual([200, ON]);
    } finally {
      await other.stop();
    }
    expect(other.complaints).toEqual([]);
  });

  it('return 500 if the database has an invalid value', async () => {
    const broken = "INSERT OR REPLACE INTO setting VALUES ('islandora.allow_header_links', 'maybe')";
    await database().write([broken]);
    const response = await repository.get(PATH, 'admin');
    expect(await answerOf(response)).toEqual([
      500,
      {
        message:
          'The database has neither true nor false for the setting allow_header_links. Set it again with: repo setting set allow_header_links true',
      },
    ]);
    const failure = { kind: 'misconfigured', cause: 'Error: the row islandora.allow_header_links holds "maybe"' };
    expect(repository.failures().at(-1)).toMatchObject({ failure });
  });
});

describe('a caller who may not administer the site', () => {
  const WHO = [
    ['anonymous', undefined, 401, 'No authentication credentials provided.'],
    ['reader', 'reader', 403, "The 'administer site configuration' permission is required."],
    ['editor', 'editor', 403, "The 'administer site configuration' permission is required."],
  ] as const;

  it.each(WHO)('reads nothing: %s', async (_name, as, status, message) => {
    const response = await repository.get(PATH, as);
    expect(await answerOf(response)).toEqual([status, { message }]);
    expect(response.headers.get('www-authenticate')).toBe(as === undefined ? 'Basic realm="Repository"' : null);
  });

  it.each(WHO)('changes nothing with any body: %s', async (_name, as, status, message) => {
    for (const body of [OFF, { other: 1 }, '{', '', 'x'.repeat(100_000)])
      expect(await answerOf(await repository.patch(PATH, body, as))).toEqual([status, { message }]);
    expect(await stored()).toBe(true);
  });

  it('gets 403 before 412', async () => {
    expect((await repository.patch(PATH, OFF, 'reader', { 'If-Match': '"another"' })).status).toBe(403);
  });
});

describe('an administrator', () => {
  it('signs in with a token', async () => {
    const headers = { Authorization: `Bearer ${await tokenOf(repository, 'admin')}` };
    expect(await answerOf(await repository.get(PATH, undefined, headers))).toEqual([200, ON]);
    expect(await answerOf(await repository.patch(PATH, OFF, undefined, headers))).toEqual([200, OFF]);
  });

  it('signs in with a session, and needs its CSRF token for a change', async () => {
    const { cookie, csrfToken } = await signIn(repository, 'admin', ADMIN_PASSWORD);
    expect(await answerOf(await repository.get(PATH, undefined, { Cookie: cookie }))).toEqual([200, ON]);
    const missing = await repository.patch(PATH, OFF, undefined, { Cookie: cookie });
    expect(await answerOf(missing)).toEqual([403, { message: 'The header X-CSRF-Token is missing.' }]);
    const wrong = await repository.patch(PATH, OFF, undefined, { Cookie: cookie, 'X-CSRF-Token': 'x' });
    expect(await answerOf(wrong)).toEqual([403, { message: 'The header X-CSRF-Token is invalid.' }]);
    expect(await stored()).toBe(true);
    const headers = { Cookie: cookie, 'X-CSRF-Token': csrfToken };
    expect(await answerOf(await repository.patch(PATH, OFF, undefined, headers))).toEqual([200, OFF]);
  });
});

describe('an invalid change', () => {
  const failed = (line: string) => `Unprocessable Entity: validation failed.\n${line}\n`;
  const WRONG = failed('allow_header_links.0.value: This value should be of the correct primitive type.');
  const MISSING = failed('allow_header_links: This value should not be null.');
  it.each<[string, number, string]>([
    ['', 400, 'The body is empty. It must be a JSON object.'],
    ['{', 400, 'The body is not valid JSON.'],
    ['[]', 400, 'The body must be a JSON object with the fields of the entity.'],
    ['null', 400, 'The body must be a JSON object with the fields of the entity.'],
    ['"allow_header_links"', 400, 'The body must be a JSON object with the fields of the entity.'],
    ['{"x":true}', 422, 'Field "x" is unknown.'],
    [
      '{"allow_header_links":false,"allow_headers_links":true}',
      422,
      'Field "allow_headers_links" is unknown. Did you mean "allow_header_links"?',
    ],
    ['{"__proto__":{"value":false}}', 422, 'Field "__proto__" is unknown.'],
    ['{"allow_header_links":"maybe"}', 422, WRONG],
    ['{"allow_header_links":[{"value":2}]}', 422, WRONG],
    ['{"allow_header_links":[{"value":[false]}]}', 422, WRONG],
    ['{"allow_header_links":null}', 422, MISSING],
    ['{"allow_header_links":[]}', 422, MISSING],
    ['{"allow_header_links":[[false]]}', 422, 'The item "allow_header_links.0" must be an object, found a list.'],
    [
      '{"allow_header_links":[false,false]}',
      422,
      failed('allow_header_links: Allow header links: this field cannot hold more than 1 values.'),
    ],
  ])('with the body %s returns %d and changes nothing', async (body, status, message) => {
    expect(await answerOf(await repository.patch(PATH, body, 'admin'))).toEqual([status, { message }]);
    expect(await stored()).toBe(true);
  });

  it('that is too large returns 413', async () => {
    const body = JSON.stringify({ allow_header_links: [{ value: false, note: 'x'.repeat(70_000) }] });
    expect((await repository.patch(PATH, body, 'admin')).status).toBe(413);
    expect(await stored()).toBe(true);
  });

  it('in another type than JSON returns 415', async () => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    expect((await repository.patch(PATH, 'allow_header_links=0', 'admin', headers)).status).toBe(415);
  });
});

describe('the state of the settings', () => {
  const etagOf = (response: Response) => response.headers.get('etag') as string;

  it('has a strong ETag, which is restored with the state', async () => {
    const before = etagOf(await repository.get(PATH, 'admin'));
    expect(before).toMatch(/^"[^"]+"$/);
    const off = etagOf(await repository.patch(PATH, OFF, 'admin'));
    expect(off).not.toBe(before);
    expect(etagOf(await repository.get(PATH, 'second'))).toBe(off);
    expect(etagOf(await repository.patch(PATH, ON, 'admin'))).toBe(before);
  });

  it('is not sent again for a matching If-None-Match', async () => {
    const etag = etagOf(await repository.get(PATH, 'admin'));
    const same = await repository.get(PATH, 'admin', { 'If-None-Match': etag });
    expect({ status: same.status, etag: etagOf(same), body: await same.text() }).toEqual({
      status: 304,
      etag,
      body: '',
    });
    await repository.patch(PATH, OFF, 'admin');
    expect((await repository.get(PATH, 'admin', { 'If-None-Match': etag })).status).toBe(200);
  });

  it('must match If-Match for a change', async () => {
    const etag = etagOf(await repository.get(PATH, 'admin'));
    const message = 'The content has changed since the ETag in If-Match was returned. Read it again.';
    const stale = await repository.patch(PATH, OFF, 'admin', { 'If-Match': '"another"' });
    expect(await answerOf(stale)).toEqual([412, { message }]);
    expect(await stored()).toBe(true);
    expect((await repository.patch(PATH, OFF, 'admin', { 'If-Match': etag })).status).toBe(200);
    expect((await repository.patch(PATH, ON, 'admin', { 'If-Match': etag })).status).toBe(412);
    expect((await repository.patch(PATH, ON, 'admin', { 'If-Match': '*' })).status).toBe(200);
    expect((await repository.patch(PATH, OFF, 'admin', { 'If-None-Match': '*' })).status).toBe(412);
    expect(await stored()).toBe(true);
  });

  it('changes once for simultaneous requests with the same If-Match', async () => {
    const etag = etagOf(await repository.get(PATH, 'admin'));
    const patches = Array.from({ length: 8 }, () => repository.patch(PATH, OFF, 'admin', { 'If-Match': etag }));
    const statuses = (await Promise.all(patches)).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array(7).fill(412)]);
  });
});

describe('the address of the settings', () => {
  it('answers HEAD like GET and lists its methods', async () => {
    const get = await repository.get(PATH, 'admin');
    const head = await repository.fetch(PATH, { method: 'HEAD', as: 'admin' });
    expect({ status: head.status, etag: head.headers.get('etag'), body: await head.text() }).toEqual({
      status: 200,
      etag: get.headers.get('etag'),
      body: '',
    });
    expect((await repository.fetch(PATH, { method: 'HEAD' })).status).toBe(401);
    const options = await repository.fetch(PATH, { method: 'OPTIONS' });
    expect(options.status).toBe(200);
    expect(options.headers.get('allow')).toBe('GET, PATCH, POST');
    for (const method of ['PUT', 'DELETE']) {
      const response = await repository.fetch(PATH, { method, as: 'admin' });
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('GET, HEAD, PATCH, POST');
    }
  });

  it('needs no _format, and accepts only json', async () => {
    expect((await repository.get('/admin/config/islandora/core', 'admin')).status).toBe(200);
    expect((await repository.get('/admin/config/islandora/core?_format=xml', 'admin')).status).toBe(406);
  });
});
