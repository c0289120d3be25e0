import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyFolder } from './empty-folder.ts';
import { linkLines } from './link-lines.ts';
import { PNG } from './repository-routes.ts';
import { type As, createTestRepository, type EntityJson } from './test-repository.ts';

/** A role that may see all media and change them, and nothing else that a reader may not. */
const MEDIA_EDITOR = `
roles:
  media_editor:
    label: Media editor
    permissions: [administer media]
`;

export type LinkedSite = Awaited<ReturnType<typeof createLinkedSite>>;

/** A media with its file, as far as links tell of them. */
export interface Picture {
  readonly id: number;
  readonly file: number;
  /** The path of the bytes. */
  readonly path: string;
}

/** A repository with one user of each sort (`reader`, `loader` who owns things, `editor` of media), and the means to fill it. */
export async function createLinkedSite(model = MEDIA_EDITOR) {
  const folder = await emptyFolder();
  const modelFile = join(folder, 'model.yaml');
  await writeFile(modelFile, model);
  const repository = await createTestRepository({ modelFile });
  const image = await repository.termId('http://purl.org/coar/resource_type/c_c513');
  let made = 0;
  await repository.user('reader');
  const loader = await repository.user('loader', 'workbench_user');
  if (model === MEDIA_EDITOR) await repository.user('editor', 'media_editor');

  async function make(path: string, body: object, as: string): Promise<EntityJson> {
    const response = await repository.post(`${path}?_format=json`, body, as);
    if (response.status !== 201) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as EntityJson;
  }

  async function change(path: string, body: object, as = 'admin'): Promise<EntityJson> {
    const response = await repository.patch(`${path}?_format=json`, body, as);
    if (response.status !== 200) throw new Error(`PATCH ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as EntityJson;
  }

  async function remove(path: string): Promise<void> {
    const response = await repository.delete(`${path}?_format=json`, 'admin');
    if (response.status !== 204) throw new Error(`DELETE ${path}: ${response.status} ${await response.text()}`);
  }

  return {
    repository,
    image,
    loader,
    change,
    remove,
    async term(vid: string, name: string, fields: object = {}): Promise<number> {
      return (await make('/taxonomy/term', { vid, name: [name], ...fields }, 'admin')).tid[0].value;
    },
    async node(fields: object = {}, as = 'loader'): Promise<number> {
      const item = { type: 'islandora_object', title: ['An item'], field_model: [image] };
      return (await make('/node', { ...item, ...fields }, as)).nid[0].value;
    },
    changeNode: (id: number, fields: object) => change(`/node/${id}`, { type: 'islandora_object', ...fields }),
    changeMedia: (id: number, fields: object) => change(`/media/${id}`, { bundle: 'image', ...fields }),
    changeTerm: (id: number, vid: string, fields: object) => change(`/taxonomy/term/${id}`, { vid, ...fields }),
    /** Puts a picture to a node, under a name of its own; a media of `owner`. */
    async picture(node: number, use: string, { owner = loader, scheme = 'public' } = {}): Promise<Picture> {
      made += 1;
      const headers = { 'Content-Type': 'image/png', 'Content-Location': `${scheme}://picture ${made}.png` };
      const path = `/node/${node}/media/image/${await repository.termId(use)}`;
      const put = await repository.put(path, PNG, headers, 'admin');
      if (put.status !== 201) throw new Error(`PUT ${path}: ${put.status} ${await put.text()}`);
      const { pathname } = new URL(put.headers.get('location') as string);
      const media = await change(pathname, { bundle: 'image', uid: [owner] });
      const [{ target_id: file, url }] = media.field_media_image;
      return { id: media.mid[0].value, file, path: new URL(url).pathname };
    },
    /** The links that someone gets with a path, each as a line (`linkLines`). */
    async lines(path: string, as?: As): Promise<string[]> {
      return linkLines(await repository.get(path, as), repository.url);
    },
    async stop(): Promise<void> {
      await repository.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
