import { expect } from 'bun:test';
import { PNG } from './repository-routes.ts';
import { MODEL, type Picture, USE } from './site-builder.ts';
import { type As, createTestRepository } from './test-repository.ts';

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
  const repository = await createTestRepository({}, { model: EDITOR_ROLE });
  const { build } = repository;
  await repository.user('reader');
  const loader = await repository.user('loader', 'workbench_user');
  await repository.user('writer', 'content_editor');
  await repository.user('editor', 'editor');
  const model = await build.termId(MODEL.image);
  let made = 0;

  const unique = () => {
    made += 1;
    return String(made);
  };
  const tag = (fields: object = {}) => ({ vid: 'tags', name: [`Tag ${unique()}`], ...fields });
  const makeMedia = async (fields: object, owner: string): Promise<number> =>
    (await build.make('/entity/media', video(fields), owner)).mid[0].value;

  /** Creates a node; only the administrator may unpublish it. */
  async function node(status = true, owner = 'loader'): Promise<number> {
    const { nid } = await build.item({}, owner);
    if (!status) await build.change(`/node/${nid[0].value}`, { type: 'islandora_object', status: [false] });
    return nid[0].value;
  }

  const upload = (field: string, as: As): Promise<Response> =>
    build.postFile(`media/${field}`, PNG, { 'Content-Disposition': 'file; filename="a.png"' }, as);

  return {
    repository,
    use: await build.termId(USE.original),
    item: () => ({ type: 'islandora_object', title: ['x'], field_model: [model] }),
    tag,
    node,
    patched: (path: string, body: object) => build.change(path, body),
    /** A media of loader with a picture in a place of its own; the ids of both, and the path of the bytes. */
    picture: async (scheme: string, nodeStatus = true): Promise<Picture> =>
      build.pictureOf(loader, await node(nodeStatus), { uri: `${scheme}://${unique()}.png`, bytes: PNG }),
    upload,
    media: (status = true, owner = 'loader') => makeMedia({ status: [status] }, owner),
    /** A published media of the administrator that belongs to a node. */
    mediaOf: (nid: number) => makeMedia({ field_media_of: [nid] }, 'admin'),
    term: async (status = true): Promise<number> =>
      (await build.make('/taxonomy/term', tag({ status: [status] }), 'loader')).tid[0].value,
    uploaded: async (): Promise<number> =>
      (await build.file('media/image/field_media_image', 'a.png', PNG, 'loader')).fid[0].value,
    stop: (): Promise<void> => repository.stop(),
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
