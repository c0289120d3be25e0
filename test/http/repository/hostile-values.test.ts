import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createSample, PNG, type Sample, type Session, signIn } from '../../support/repository-routes.ts';
import {
  ADMIN_PASSWORD,
  createTestRepository,
  type EntityJson,
  type TestRepository,
} from '../../support/test-repository.ts';

let repository: TestRepository;
let sample: Sample;
let session: Session;
beforeAll(async () => {
  repository = await createTestRepository();
  sample = await createSample(repository);
  session = await signIn(repository, 'admin', ADMIN_PASSWORD);
  await repository.user('writer', 'content_editor');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const INJECTIONS = [
  "' OR '1'='1",
  "'; DROP TABLE node; --",
  '" OR 1=1 --',
  "x') UNION SELECT password_hash FROM user --",
  '1; DELETE FROM user',
  '%27%20OR%201=1',
  '?1',
  ':name',
  '$1',
  '\\',
  "'||(SELECT name FROM sqlite_master)||'",
  'null',
  '1e9999',
  '-1',
  '0x10',
  'a\'b"c`d',
  '[{"value":1}]',
  '_%*?',
];

/** Texts about code, files or the database, which no response may hold. */
const LEAK =
  /\bat \S+ \(\S+:\d+:\d+\)|node_modules|\/work\/|\/tmp\/|repo-data|SQLITE_|near "|no such (?:table|column)|constraint failed|TypeError|argon2|undefined|\[object/;

async function isClean(response: Response, sent: string): Promise<string> {
  const text = await response.text();
  expect(response.status).toBeLessThan(500);
  // A message may quote what was sent; the rest is ours.
  expect(text.replaceAll(JSON.stringify(sent).slice(1, -1), '')).not.toMatch(LEAK);
  return text;
}

describe('text that is SQL', () => {
  it.each(INJECTIONS)('is plain text in every parameter: %s', async (text) => {
    const at = encodeURIComponent(text);
    const everyTerm = (await (await repository.get('/vocabulary/tags', 'admin')).json()) as unknown[];
    for (const path of [
      `/node/${at}`,
      `/media/${at}`,
      `/taxonomy/term/${at}`,
      `/entity/file/${at}`,
      `/user/${at}`,
      `/node/${at}/media`,
      `/node/${sample.node}/members?page=${at}`,
      `/node/${sample.node}/revisions?page=${at}`,
      `/node/${sample.node}/revisions/${at}/view`,
      `/vocabulary/${at}`,
      `/vocabulary/tags?page=${at}`,
      `/sites/default/files/${at}`,
      `/system/files/${at}`,
      `/_flysystem/${at}/${at}`,
      `/node/${sample.node}?_format=${at}`,
    ])
      await isClean(await repository.get(path, 'admin'), text);
    for (const path of [
      `/term_from_uri?uri=${at}`,
      `/term_from_authority_link?authority_link=${at}`,
      `/term_from_term_name?vocab=tags&name=${at}`,
      `/term_from_term_name?vocab=${at}&name=x`,
    ])
      expect(await isClean(await repository.get(path, 'admin'), text)).toBe('[]');
    const put = await repository.put(
      `/node/${sample.node}/media/${at}/${at}`,
      PNG,
      { 'Content-Type': 'image/png' },
      'admin',
    );
    await isClean(put, text);
    await expect((await repository.get('/vocabulary/tags', 'admin')).json()).resolves.toEqual(everyTerm);
  });

  it.each(INJECTIONS)('is plain text in every field and is returned unchanged: %s', async (text) => {
    const made = await repository.node({
      title: [{ value: text }],
      field_alt_title: [{ value: text }],
      field_abstract: [{ value: text, format: 'plain_text' }],
      field_identifier: [{ value: text }],
      revision_log: [{ value: text }],
    });
    const read = (await (await repository.get(`/node/${made.nid[0].value}`, 'admin')).json()) as EntityJson;
    expect(read.title).toEqual([{ value: text }]);
    expect(read.field_alt_title).toEqual([{ value: text }]);
    expect(read.field_abstract[0].value).toBe(text);
    expect(read.revision_log).toEqual([{ value: text }]);
    const bodies = [
      { type: text, title: ['x'] },
      { type: 'page', title: ['x'], langcode: [{ value: text }] },
      { type: 'page', title: ['x'], uuid: [{ value: text }] },
      { type: 'page', title: ['x'], uid: [{ target_id: text }] },
      { type: 'page', title: ['x'], uid: [{ target_uuid: text }] },
      { type: 'page', title: ['x'], created: [{ value: text }] },
      { type: 'page', title: ['x'], path: [{ alias: text }] },
      { type: 'page', title: ['x'], [text]: [{ value: text }] },
    ];
    for (const body of bodies) await isClean(await repository.post('/node?_format=json', body, 'admin'), text);
    await isClean(await repository.post('/user/login', { name: text, pass: text }), text);
    // The wrong names would block this address for the following tests.
    await repository.running.services.database.write([{ sql: 'DELETE FROM flood_event', args: [] }]);
  });

  it('is plain text in headers', async () => {
    for (const text of INJECTIONS.filter((each) => !/[^\x20-\x7e]/.test(each))) {
      for (const name of [
        'If-None-Match',
        'If-Match',
        'If-Modified-Since',
        'X-CSRF-Token',
        'Accept',
        'Cookie',
        'Range',
        'Referer',
      ])
        await isClean(await repository.get(`/node/${sample.node}`, 'admin', { [name]: text }), text);
      for (const name of ['Content-Location', 'Content-Digest', 'Repr-Digest', 'Content-Type']) {
        const headers = { 'Content-Type': 'image/png', [name]: text };
        await isClean(
          await repository.put(`/node/${sample.node}/media/image/${sample.use}`, PNG, headers, 'admin'),
          text,
        );
      }
    }
  });
});

describe('text with scripts', () => {
  const RUNS = [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<a href="javascript:alert(1)">x</a>',
    '<a href="java\nscript:alert(1)">x</a>',
    '<a href=" &#106;avascript:alert(1)">x</a>',
    '<svg onload=alert(1)>',
    '<svg><script>alert(1)</script></svg>',
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    '<math><mi xlink:href="javascript:alert(1)">x</mi></math>',
    '<p style="background:url(javascript:alert(1))">x</p>',
    '<scr<script>ipt>alert(1)</scr</script>ipt>',
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    '<form action="javascript:alert(1)"><button>x</button></form>',
    '"><script>alert(1)</script>',
    '<object data="data:text/html,<script>alert(1)</script>"></object>',
  ];
  it.each(RUNS)('is stored unchanged and shown without scripts: %s', async (text) => {
    for (const format of [null, 'plain_text', 'basic_html', 'restricted_html', 'full_html']) {
      const { field_abstract: shown } = await repository.node({ field_abstract: [{ value: text, format }] });
      const { value, processed } = shown[0];
      expect(value).toBe(text);
      const tags =
        String(processed)
          .replaceAll(/ title="[^"]*"/g, '')
          .match(/<[^>]*>/g) ?? [];
      expect(tags.join('')).not.toMatch(/script|onerror|onload|javascript|iframe|svg|math|object|form|url\(/i);
    }
  });

  it('is sent as JSON that browsers do not render', async () => {
    const node = await repository.node({ title: [{ value: '<script>alert(1)</script>' }] });
    const answers = [
      await repository.get(`/node/${node.nid[0].value}?_format=json`),
      await repository.get('/<script>alert(1)</script>'),
      await repository.get('/node/<script>alert(1)</script>?_format=json'),
      await repository.post('/node', { type: '<script>alert(1)</script>' }, 'admin'),
      await repository.post('/node', { type: 'page', '<script>': 1 }, 'admin'),
    ];
    for (const response of answers) {
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    }
  });

  it('is accepted only in the formats of the writer', async () => {
    const write = (format: string | null, as: string) =>
      repository.post('/node', { type: 'article', title: ['x'], body: [{ value: '<b>x</b>', format }] }, as);
    for (const format of [null, 'plain_text', 'basic_html']) expect((await write(format, 'writer')).status).toBe(201);
    const refused = await write('full_html', 'writer');
    expect({ status: refused.status, body: await refused.json() }).toEqual({
      status: 422,
      body: {
        message:
          'Unprocessable Entity: validation failed.\nbody.0.format: The value you selected is not a valid choice.\n',
      },
    });
    expect((await write('full_html', 'admin')).status).toBe(201);
  });

  it('keeps a format that its editor lacks unless the text changes', async () => {
    const made = await repository.post('/node', { type: 'article', title: ['x'], body: [{ value: 'a' }] }, 'writer');
    const path = `/node/${((await made.json()) as EntityJson).nid[0].value}`;
    const body = (value: string) => ({ type: 'article', body: [{ value, format: 'full_html', summary: 'new' }] });
    expect((await repository.patch(path, body('by admin'), 'admin')).status).toBe(200);
    expect((await repository.patch(path, { ...body('by admin'), title: ['y'] }, 'writer')).status).toBe(200);
    expect((await repository.patch(path, body('by writer'), 'writer')).status).toBe(422);
  });
});

describe('a page of another site', () => {
  const FORMS = ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain'];
  const body = JSON.stringify({ type: 'page', title: ['forged'] });

  it.each(FORMS)('cannot write with a form of type %s', async (type) => {
    for (const path of ['/node', '/entity/media', '/taxonomy/term', '/file/upload/media/image/field_media_image']) {
      const headers = { 'Content-Type': type, Cookie: session.cookie };
      const response = await repository.fetch(path, { method: 'POST', body, headers });
      expect({ path, status: response.status }).toEqual({ path, status: 415 });
    }
    const revert = `/node/${sample.node}/revisions/${sample.revision}/revert`;
    const headers = { 'Content-Type': type, Cookie: session.cookie };
    expect((await repository.fetch(revert, { method: 'POST', body: '', headers })).status).toBe(403);
    expect((await repository.fetch('/user/logout', { method: 'POST', body: '', headers })).status).toBe(403);
  });

  it('cannot override the method', async () => {
    const headers = { 'Content-Type': 'text/plain', Cookie: session.cookie, 'X-HTTP-Method-Override': 'DELETE' };
    const response = await repository.fetch(`/node/${sample.node}?_method=DELETE`, {
      method: 'POST',
      body: '_method=DELETE',
      headers,
    });
    expect(response.status).toBe(405);
    expect((await repository.get(`/node/${sample.node}`)).status).toBe(200);
  });

  it.each(['/node', `/node/1/media/image/1`, '/user/login', '/session/token', '/jwt/token'])(
    'gets no write access from a preflight of %s',
    async (path) => {
      const headers = {
        Origin: 'https://evil.example',
        'Access-Control-Request-Method': 'PUT',
        Cookie: session.cookie,
      };
      const response = await repository.fetch(path, { method: 'OPTIONS', headers });
      expect(response.headers.get('access-control-allow-methods')).toBe('GET, HEAD');
      expect(response.headers.has('access-control-allow-credentials')).toBe(false);
      const read = await repository.get(path, undefined, headers);
      expect([...read.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    },
  );
});
