import { expect } from 'bun:test';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyFolder } from './empty-folder.ts';
import { PNG } from './repository-routes.ts';
import { type As, createTestRepository, type EntityJson } from './test-repository.ts';

/** A role between an author, who may change what is theirs, and the administrator. */
const EDITOR_ROLE = `
roles:
  editor:
    label: Editor
    permissions:
      - edit any islandora_object content
      - delete any islandora_object content
      - create media
      - edit any remote_video media
      - edit any image media
      - delete any remote_video media
`;

/** The callers, in the order of the columns of a table; `loader` owns the content unless a row states otherwise. */
const CALLERS = ['anonymous', 'reader', 'loader', 'writer', 'editor', 'admin'] as const;
type Caller = (typeof CALLERS)[number];

type Ask = (site: AccessSite, as: As) => Promise<Response>;
type Find = (site: AccessSite) => Promise<string>;

export interface AccessRow {
  act: string;
  /** Makes what is asked for, and asks for it. */
  ask: Ask;
  /** One status for each caller. */
  expected: string;
  /** The message of a 403; `others` has the messages that differ by caller. */
  reason?: string;
  others?: Partial<Record<Caller, string>>;
}

export type AccessSite = Awaited<ReturnType<typeof createAccessSite>>;

export const oneOf = (...permissions: string[]) =>
  `The following permissions are required: ${permissions.map((each) => `'${each}'`).join(' OR ')}.`;

export const video = (fields: object = {}) => ({
  bundle: 'remote_video',
  name: ['A film'],
  field_media_oembed_video: ['https://www.youtube.com/watch?v=dQw4w9WgXcQ'],
  ...fields,
});

/** A repository with one user of each sort, and the means to make what they ask for. */
export async function createAccessSite() {
  const folder = await emptyFolder();
  const modelFile = join(folder, 'model.yaml');
  await writeFile(modelFile, EDITOR_ROLE);
  const repository = await createTestRepository({ modelFile });
  await repository.user('reader');
  const loader = await repository.user('loader', 'workbench_user');
  await repository.user('writer', 'content_editor');
  await repository.user('editor', 'editor');
  const model = await repository.termId('http://purl.org/coar/resource_type/c_c513');
  const use = await repository.termId('http://pcdm.org/use#OriginalFile');
  let made = 0;

  const unique = () => {
    made += 1;
    return String(made);
  };
  const item = () => ({ type: 'islandora_object', title: ['x'], field_model: [model] });
  const tag = (fields: object = {}) => ({ vid: 'tags', name: [`Tag ${unique()}`], ...fields });

  async function make(path: string, body: object, as: string): Promise<EntityJson> {
    const response = await repository.post(`${path}?_format=json`, body, as);
    const text = await response.text();
    if (response.status !== 201) throw new Error(`${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  }

  async function patched(path: string, body: object): Promise<EntityJson> {
    const response = await repository.patch(`${path}?_format=json`, body, 'admin');
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as EntityJson;
  }

  /** Creates a node; only the administrator may unpublish it. */
  async function node(status = true, owner = 'loader'): Promise<number> {
    const { nid } = await make('/node', item(), owner);
    if (!status) await patched(`/node/${nid[0].value}`, { type: 'islandora_object', status: [false] });
    return nid[0].value;
  }

  /** A media of loader with a picture in a place of its own; the ids of both, and the address of the bytes. */
  async function picture(scheme: string, nodeStatus = true): Promise<{ mid: number; fid: number; url: string }> {
    const headers = { 'Content-Type': 'image/png', 'Content-Location': `${scheme}://${unique()}.png` };
    const path = `/node/${await node(nodeStatus)}/media/image/${use}?_format=json`;
    const put = await repository.put(path, PNG, headers, 'admin');
    if (put.status !== 201) throw new Error(`${put.status} ${await put.text()}`);
    const { pathname } = new URL(put.headers.get('location') as string);
    const saved = await patched(pathname, { bundle: 'image', uid: [loader] });
    const file = saved.field_media_image[0];
    return { mid: saved.mid[0].value, fid: file.target_id, url: new URL(file.url).pathname };
  }

  function upload(field: string, as: As): Promise<Response> {
    const type = { 'Content-Type': 'application/octet-stream', 'Content-Disposition': 'file; filename="a.png"' };
    const path = `/file/upload/media/${field}?_format=json`;
    return repository.fetch(path, { method: 'POST', body: PNG, as, headers: type });
  }

  return {
    repository,
    use,
    item,
    tag,
    node,
    patched,
    picture,
    upload,
    media: async (status = true, owner = 'loader'): Promise<number> =>
      (await make('/entity/media', video({ status: [status] }), owner)).mid[0].value,
    /** A published media of the administrator that belongs to a node. */
    mediaOf: async (nid: number): Promise<number> =>
      (await make('/entity/media', video({ field_media_of: [nid] }), 'admin')).mid[0].value,
    term: async (status = true): Promise<number> =>
      (await make('/taxonomy/term', tag({ status: [status] }), 'loader')).tid[0].value,
    uploaded: async (): Promise<number> => {
      const response = await upload('image/field_media_image', 'loader');
      return ((await response.json()) as EntityJson).fid[0].value;
    },
    async stop(): Promise<void> {
      await repository.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export const read =
  (find: Find): Ask =>
  async (site, as) =>
    site.repository.get(`${await find(site)}?_format=json`, as);

export const change =
  (find: Find, body: object): Ask =>
  async (site, as) =>
    site.repository.patch(`${await find(site)}?_format=json`, body, as);

export const remove =
  (find: Find): Ask =>
  async (site, as) =>
    site.repository.delete(`${await find(site)}?_format=json`, as);

export const create =
  (path: string, body: (site: AccessSite) => object): Ask =>
  async (site, as) =>
    site.repository.post(`${path}?_format=json`, body(site), as);

/** Sends the request as each caller and compares the answers with the row. */
export async function check(site: AccessSite, { act, ask, expected, reason, others }: AccessRow): Promise<void> {
  for (const [column, caller] of CALLERS.entries()) {
    const response = await ask(site, caller === 'anonymous' ? undefined : caller);
    const text = await response.text();
    const found = `${caller} may ${act}: ${response.status} ${text.slice(0, 300)}`;
    expect(found).toStartWith(`${caller} may ${act}: ${expected.split(' ')[column]}`);
    if (response.status === 401) {
      expect(JSON.parse(text)).toEqual({ message: 'No authentication credentials provided.' });
      expect(response.headers.get('www-authenticate')).toBe('Basic realm="Repository"');
    }
    if (response.status === 403) {
      expect(`${caller}: ${JSON.parse(text).message}`).toBe(`${caller}: ${others?.[caller] ?? reason}`);
      expect(response.headers.has('www-authenticate')).toBe(false);
    }
  }
}
