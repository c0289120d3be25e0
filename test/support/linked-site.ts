import type { RepositoryConfig } from '../../src/config/server-config.ts';
import { linkLines } from './link-lines.ts';
import { PNG } from './repository-routes.ts';
import { MODEL, type Picture } from './site-builder.ts';
import { type As, createTestRepository } from './test-repository.ts';

/** A role that may see all media and change them, and nothing else that a reader may not. */
const MEDIA_EDITOR = `
roles:
  media_editor:
    label: Media editor
    permissions: [administer media]
`;

export type LinkedSite = Awaited<ReturnType<typeof createLinkedSite>>;

/** A repository with one user of each sort (`reader`, `loader` who owns things, `editor` of media), and the means to fill it. */
export async function createLinkedSite(model = MEDIA_EDITOR, overrides: Partial<RepositoryConfig> = {}) {
  const repository = await createTestRepository(overrides, { model });
  const { change, remove, term, item, pictureOf } = repository.build;
  let made = 0;
  await repository.user('reader');
  const loader = await repository.user('loader', 'workbench_user');
  if (model === MEDIA_EDITOR) await repository.user('editor', 'media_editor');
  return {
    repository,
    image: await repository.termId(MODEL.image),
    loader,
    change,
    remove,
    term,
    node: async (fields: object = {}, as = 'loader'): Promise<number> =>
      (await item({ title: ['An item'], ...fields }, as)).nid[0].value,
    changeNode: (id: number, fields: object) => change(`/node/${id}`, { type: 'islandora_object', ...fields }),
    changeMedia: (id: number, fields: object) => change(`/media/${id}`, { bundle: 'image', ...fields }),
    changeTerm: (id: number, vid: string, fields: object) => change(`/taxonomy/term/${id}`, { vid, ...fields }),
    /** Puts a picture to a node, under a name of its own; a media of `owner`. */
    picture(node: number, use: string, { owner = loader, scheme = 'public' } = {}): Promise<Picture> {
      made += 1;
      return pictureOf(owner, node, { use, uri: `${scheme}://picture ${made}.png`, bytes: PNG });
    },
    /** The links that someone gets with a path, each as a line (`linkLines`). */
    lines: async (path: string, as?: As): Promise<string[]> =>
      linkLines(await repository.get(path, as), repository.url),
    stop: (): Promise<void> => repository.stop(),
  };
}
