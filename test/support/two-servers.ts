import { afterAll, beforeAll, expect, it } from 'bun:test';
import { filePath } from '../../src/paths.ts';
import type { User } from '../../src/repository/users/find-user.ts';
import { createUser, setBlocked, setPassword, setRoles } from '../../src/repository/users/manage-users.ts';
import type { OpenRepository } from '../../src/server/open-repository.ts';
import { pause } from './pause.ts';
import type { ServerProcess } from './server-process.ts';
import { basic, type EntityJson } from './test-repository.ts';
import { until } from './until.ts';

/** The maximum time for a change by another process to take effect, in milliseconds. */
const MAX_STALE_MS = 1_000;
const json = { 'Content-Type': 'application/json' };
/** Headers without credentials. */
const nobody = { ...json, Cookie: 'none=1' };

/** Two servers of one repository. */
export interface TwoServers {
  readonly servers: readonly [ServerProcess, ServerProcess];
  /** The repository opened by a command beside them. */
  readonly beside: OpenRepository;
  /** Returns inconsistencies after both have stopped, in words. */
  audit(): Promise<string[]>;
  /** Removes what the two had; they have stopped. */
  remove(): Promise<void>;
}

/** Access to them for tests; only valid while tests run. */
export interface OneRepository {
  readonly two: TwoServers;
  createNode(index: number, title?: string): Promise<Response>;
}

/**
 * What holds for two servers of one repository, wherever its database and files are. To be called within a `describe`;
 * more tests may follow. `scheme` is that of the files that the tests put.
 */
export function itIsOneRepository(open: () => Promise<TwoServers>, scheme = 'public'): OneRepository {
  let two: TwoServers;
  let model: number;

  beforeAll(async () => {
    two = await open();
    model = await server(0).build.termId('http://purl.org/coar/resource_type/c_c513');
  });

  afterAll(async () => {
    await discardsAreDone();
    await two.beside.close();
    for (const each of two.servers) await each.stop();
    expect(two.servers.flatMap(({ complaints }) => complaints)).toEqual([]);
    expect(await two.audit()).toEqual([]);
    await two.remove();
  });

  /** Objects that were replaced go a second later, or after a while where someone held the database then. */
  async function discardsAreDone(): Promise<void> {
    const { client } = two.beside.services.database;
    await until(async () => (await client.execute('SELECT 1 FROM discarded_object LIMIT 1')).rows.length === 0);
  }

  const server = (index: number) => two.servers[index % 2] as ServerProcess;

  function createNode(index: number, title = 'A title'): Promise<Response> {
    const body = {
      type: [{ target_id: 'islandora_object' }],
      title: [{ value: title }],
      field_model: [{ target_id: model }],
    };
    return server(index).fetch('/node?_format=json', { method: 'POST', headers: json, body: JSON.stringify(body) });
  }

  const nodeId = (): Promise<number> => server(0).build.node('image', 'A title');

  function patchNode(
    index: number,
    id: number,
    title: string,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const body = JSON.stringify({ type: [{ target_id: 'islandora_object' }], title: [{ value: title }] });
    return server(index).fetch(`/node/${id}?_format=json`, { method: 'PATCH', headers: { ...json, ...headers }, body });
  }

  const putFile = (index: number, node: number, bytes: string, uri: string): Promise<Response> =>
    server(index).build.put(node, { media: 'file', uri, bytes });

  it('give out every id once', async () => {
    const made = await many(80, async (index) => (await createNode(index)).headers.get('location'));
    const ids = made.map((location) => location?.split('/').at(-1));
    expect(new Set(ids).size).toBe(80);
  });

  it('show at once what the other has written', async () => {
    const id = await nodeId();
    for (let index = 0; index < 20; index++) {
      await patchNode(index, id, `title ${index}`);
      const read = await server(index + 1).fetch(`/node/${id}?_format=json`);
      expect(((await read.json()) as EntityJson).title).toEqual([{ value: `title ${index}` }]);
    }
    await server(0).fetch(`/node/${id}?_format=json`, { method: 'DELETE' });
    expect((await server(1).fetch(`/node/${id}?_format=json`)).status).toBe(404);
  });

  it('answer at once at the addresses that the other has given', async () => {
    const id = await nodeId();
    const make = (index: number, path: string, body: object) =>
      server(index).fetch(path, { method: 'POST', headers: json, body: JSON.stringify(body) });
    const path = `/node/${id}`;
    const etags = new Set<string | null>();
    for (let index = 0; index < 6; index++) {
      const other = server(index + 1);
      etags.add((await other.fetch(`${path}?_format=json`)).headers.get('etag'));
      await make(index, '/entity/path_alias', { path: [{ value: path }], alias: [{ value: `/at${path}/${index}` }] });
      await make(index, '/entity/redirect', {
        redirect_source: [{ path: `from${path}/${index}` }],
        redirect_redirect: [{ uri: `internal:${path}` }],
      });
      const read = await other.fetch(`/at${path}/${index}?_format=json`);
      expect(((await read.json()) as EntityJson).path[0].alias).toBe(`/at${path}/${index}`);
      expect((await other.fetch(`/from${path}/${index}`, { redirect: 'manual' })).status).toBe(301);
    }
    expect(etags.size).toBe(6);
  });

  it('keep every change of those who change the same', async () => {
    const id = await nodeId();
    const responses = await many(8, (index) => patchNode(index, id, `title ${index}`));
    expect(statuses(responses)).toEqual(Array(8).fill(200));
    const revisions = await server(0).fetch(`/node/${id}/revisions?_format=json`);
    expect((await revisions.json()) as EntityJson[]).toHaveLength(9);
  });

  it('let one win of those who insist on the same state', async () => {
    const id = await nodeId();
    const etag = (await server(0).fetch(`/node/${id}?_format=json`)).headers.get('etag') ?? '';
    const responses = await many(8, (index) => patchNode(index, id, `title ${index}`, { 'If-Match': etag }));
    expect(statuses(responses)).toEqual([200, ...Array(7).fill(412)]);
    const winner = responses.findIndex(({ status }) => status === 200);
    const read = await server(0).fetch(`/node/${id}?_format=json`);
    expect(((await read.json()) as EntityJson).title).toEqual([{ value: `title ${winner}` }]);
  });

  it('make one media of files that are put to the same place at once', async () => {
    const id = await nodeId();
    const responses = await many(8, (index) => putFile(index, id, `text ${index}`, `${scheme}://race/a.txt`));
    expect(statuses(responses)).toEqual([201, ...Array(7).fill(204)]);
    const list = await server(0).fetch(`/node/${id}/media?_format=json`);
    const media = (await list.json()) as EntityJson[];
    expect(media).toHaveLength(1);
    const { url } = (media[0] as EntityJson).field_media_file[0];
    const texts = await many(2, async (index) => (await server(index).fetch(pathOf(url))).text());
    expect(texts[0]).toMatch(/^text \d$/);
    expect(texts[1]).toBe(texts[0] as string);
  });

  it('give files of one name addresses of their own', async () => {
    const nodes = await many(6, () => nodeId());
    const responses = await many(6, (index) =>
      putFile(index, nodes[index] as number, `text ${index}`, `${scheme}://same/name.txt`),
    );
    expect(statuses(responses)).toEqual(Array(6).fill(201));
    const paths = await many(6, async (index) => {
      const media = await server(index + 1).fetch(`${pathOf(responses[index]?.headers.get('location'))}?_format=json`);
      const { url } = ((await media.json()) as EntityJson).field_media_file[0];
      return pathOf(url);
    });
    expect(new Set(paths).size).toBe(6);
    for (const path of paths) expect(path).toMatch(/\/same\/name(_\d+)?\.txt$/);
    const read = await many(6, async (index) => (await server(index).fetch(paths[index] as string)).text());
    expect(read).toEqual(Array.from({ length: 6 }, (_, index) => `text ${index}`));
  });

  it('answer a file whole, the old or the new, while the other replaces it', async () => {
    const id = await nodeId();
    await putFile(0, id, 'first '.repeat(5_000), `${scheme}://swap/a.txt`);
    let isDone = false;
    const reading = many(4, async (index) => {
      let count = 0;
      while (!isDone) {
        const response = await server(index).fetch(filePath(`${scheme}://swap/a.txt`));
        expect(response.status).toBe(200);
        const bytes = await response.bytes();
        const digest = new Bun.CryptoHasher('sha256').update(bytes).digest('base64');
        expect(response.headers.get('repr-digest')).toBe(`sha-256=:${digest}:`);
        count += 1;
      }
      return count;
    });
    for (let turn = 0; turn < 40; turn++)
      expect(
        (await putFile(turn, id, `turn ${turn} `.repeat(1_000 + turn * 50), `${scheme}://swap/a.txt`)).status,
      ).toBe(204);
    isDone = true;
    for (const count of await reading) expect(count).toBeGreaterThan(5);
  });

  it('open and close a file as soon as the other has published, unpublished or deleted its node', async () => {
    const id = await nodeId();
    const uri = `${scheme}://followed/a.txt`;
    expect((await putFile(0, id, 'text', uri)).status).toBe(201);
    const publish = (index: number, value: boolean) => {
      const body = JSON.stringify({ type: 'islandora_object', status: [{ value }] });
      return server(index).fetch(`/node/${id}?_format=json`, { method: 'PATCH', headers: json, body });
    };
    const asStranger = async () =>
      statuses(await many(4, (index) => server(index).fetch(filePath(uri), { headers: nobody })));
    for (let turn = 0; turn < 6; turn++) {
      expect((await publish(turn, turn % 2 === 1)).status).toBe(200);
      expect(await asStranger()).toEqual(Array(4).fill(turn % 2 === 1 ? 200 : 401));
    }
    await server(0).fetch(`/node/${id}?_format=json`, { method: 'DELETE' });
    expect(await asStranger()).toEqual(Array(4).fill(401));
  });

  it('take a change of roles, password or access to heart within a second', async () => {
    await createUser(two.beside.services, { name: 'eva', password: 'old', roles: [] });
    const eva = (await two.beside.api.findUser.byName('eva')) as User;
    const ask = async (index: number, password: string) => {
      const headers = { ...json, Authorization: basic('eva', password) };
      return (await server(index).fetch('/node?_format=json', { method: 'POST', headers, body: '{' })).status;
    };
    const soon = async (password: string, status: number) => {
      const found = await many(2, async (index) => {
        const deadline = performance.now() + MAX_STALE_MS;
        for (;;) {
          const askedAt = performance.now();
          const answered = await ask(index, password);
          if (answered === status || askedAt > deadline) return answered;
          // Five that fail are the most that anyone may try.
          await pause(MAX_STALE_MS / 2);
        }
      });
      expect(found).toEqual([status, status]);
    };
    await soon('old', 403);
    await setRoles(two.beside.services, eva, ['administrator']);
    await soon('old', 400);
    await setPassword(two.beside.services, eva, 'new');
    await soon('new', 400);
    await soon('old', 401);
    await setBlocked(two.beside.services, eva, true);
    await soon('new', 401);
  });

  it("know each other's sessions, CSRF tokens and bearer tokens, and their ends", async () => {
    await createUser(two.beside.services, { name: 'ida', password: 'ida', roles: ['administrator'] });
    const { session, logoutToken } = await signInAt(0, 'ida');
    const title = await patchWith(1, { Cookie: session.cookie, 'X-CSRF-Token': session.csrfToken });
    expect(title).toBe(200);
    expect(await patchWith(1, { Cookie: session.cookie, 'X-CSRF-Token': 'x'.repeat(43) })).toBe(403);
    const issued = await server(0).fetch('/jwt/token', { headers: { Authorization: basic('ida', 'ida') } });
    const { token } = (await issued.json()) as { token: string };
    expect(await patchWith(1, { Authorization: `Bearer ${token}` })).toBe(200);
    const out = await server(1).fetch(`/user/logout?_format=json&token=${logoutToken}`, {
      method: 'POST',
      headers: { Cookie: session.cookie },
    });
    expect(out.status).toBe(204);
    const status = await server(0).fetch('/user/login_status?_format=json', { headers: { Cookie: session.cookie } });
    expect(await status.text()).toBe('0');
  });

  it('count attempts to sign in together', async () => {
    await createUser(two.beside.services, { name: 'otto', password: 'otto', roles: [] });
    const attempt = async (index: number) => {
      const body = JSON.stringify({ name: 'otto', pass: 'wrong' });
      return (await server(index).fetch('/user/login?_format=json', { method: 'POST', body, headers: nobody })).status;
    };
    const found: number[] = [];
    for (let index = 0; index < 6; index++) found.push(await attempt(index));
    expect(found).toEqual([400, 400, 400, 400, 400, 429]);
    expect(await attempt(1)).toBe(429);
  });

  it('follow a setting within a second, and a renamed term at once', async () => {
    const id = await nodeId();
    const linkOf = async (index: number) =>
      (await server(index).fetch(`/node/${id}?_format=json`)).headers.get('link') ?? '';
    expect(await linkOf(1)).toContain('title="Image"');
    const renamed = await renameModel('Picture');
    expect(renamed).toBe(200);
    expect(await linkOf(1)).toContain('title="Picture"');
    expect(await linkOf(0)).toContain('title="Picture"');
    await renameModel('Image');
    for (const value of [false, true]) {
      await allowLinks(value);
      const changedAt = performance.now();
      for (;;) {
        const askedAt = performance.now();
        const isShown = (await linkOf(1)).includes('title="Image"');
        if (isShown === value) break;
        expect(askedAt - changedAt).toBeLessThan(MAX_STALE_MS);
      }
    }
  });

  async function signInAt(index: number, name: string) {
    const body = JSON.stringify({ name, pass: name });
    const response = await server(index).fetch('/user/login?_format=json', { method: 'POST', body, headers: nobody });
    const { csrf_token: csrfToken, logout_token: logoutToken } = (await response.json()) as EntityJson;
    const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? '';
    return { session: { cookie, csrfToken: String(csrfToken) }, logoutToken: String(logoutToken) };
  }

  async function patchWith(index: number, headers: Record<string, string>): Promise<number> {
    const body = JSON.stringify({ type: [{ target_id: 'islandora_object' }], title: [{ value: 'Another title' }] });
    const id = await nodeId();
    const options = { method: 'PATCH', headers: { ...json, ...headers }, body };
    return (await server(index).fetch(`/node/${id}?_format=json`, options)).status;
  }

  async function renameModel(name: string): Promise<number> {
    const body = JSON.stringify({ vid: [{ target_id: 'islandora_models' }], name: [{ value: name }] });
    const options = { method: 'PATCH', headers: json, body };
    return (await server(0).fetch(`/taxonomy/term/${model}?_format=json`, options)).status;
  }

  async function allowLinks(value: boolean): Promise<void> {
    const body = JSON.stringify({ allow_header_links: [{ value }] });
    const options = { method: 'PATCH', headers: json, body };
    const response = await server(0).fetch('/admin/config/islandora/core?_format=json', options);
    expect(response.status).toBe(200);
  }

  return {
    get two() {
      return two;
    },
    createNode,
  };
}

async function many<T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => work(index)));
}

/** An address without its host, which is that of the process that gave it out. */
const pathOf = (address: string | null | undefined) => new URL(address ?? '', 'http://localhost').pathname;

const statuses = (responses: Response[]) => responses.map(({ status }) => status).sort();
