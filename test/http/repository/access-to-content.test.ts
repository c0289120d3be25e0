import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import {
  type AccessRow,
  type AccessSite,
  change,
  check,
  create,
  createAccessSite,
  oneOf,
  read,
  remove,
  video,
} from '../../support/access-site.ts';
import { PNG } from '../../support/repository-routes.ts';
import type { EntityJson } from '../../support/test-repository.ts';

let site: AccessSite;
beforeAll(async () => {
  site = await createAccessSite();
});
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  await site.stop();
});

const EDIT_ANY = "The 'edit any islandora_object content' permission is required.";
const DELETE_ANY = "The 'delete any islandora_object content' permission is required.";
const REVISIONS = oneOf('view all revisions', 'view islandora_object revisions', 'administer nodes');
const REVERT = oneOf('revert all revisions', 'revert islandora_object revisions', 'administer nodes');
const OF_HIDDEN_NODE = 'The media belongs to a node that you may not view.';
const UPDATE_MEDIA = oneOf(
  'update any media',
  'update own media',
  'remote_video: edit any media',
  'remote_video: edit own media',
);
const DELETE_MEDIA = oneOf(
  'delete any media',
  'delete own media',
  'remote_video: delete any media',
  'remote_video: delete own media',
);
const retitled = { type: 'islandora_object', title: ['changed'] };
const renamed = { bundle: 'remote_video', name: ['changed'] };

// Columns: anonymous, reader, loader (the owner), writer, editor, admin.
const ROWS: AccessRow[] = [
  { act: 'view a node', ask: read(async (site) => `/node/${await site.node()}`), expected: '200 200 200 200 200 200' },
  {
    act: 'view an unpublished node',
    ask: read(async (site) => `/node/${await site.node(false)}`),
    expected: '401 403 200 403 403 200',
    reason: '',
  },
  {
    act: 'view an unpublished node of the administrator',
    ask: read(async (site) => `/node/${await site.node(false, 'admin')}`),
    expected: '401 403 403 403 403 200',
    reason: '',
  },
  {
    act: 'change a node',
    ask: change(async (site) => `/node/${await site.node()}`, retitled),
    expected: '401 403 200 403 200 200',
    reason: EDIT_ANY,
  },
  {
    act: 'change an unpublished node',
    ask: change(async (site) => `/node/${await site.node(false)}`, retitled),
    expected: '401 403 200 403 200 200',
    reason: EDIT_ANY,
  },
  {
    act: 'change a node of the administrator',
    ask: change(async (site) => `/node/${await site.node(true, 'admin')}`, retitled),
    expected: '401 403 403 403 200 200',
    reason: EDIT_ANY,
  },
  {
    act: 'remove a node',
    ask: remove(async (site) => `/node/${await site.node()}`),
    expected: '401 403 204 403 204 204',
    reason: DELETE_ANY,
  },
  {
    act: 'remove a node of the administrator',
    ask: remove(async (site) => `/node/${await site.node(true, 'admin')}`),
    expected: '401 403 403 403 204 204',
    reason: DELETE_ANY,
  },
  {
    act: 'create a repository item',
    ask: create('/node', (site) => site.item()),
    expected: '401 403 201 403 403 201',
    reason: '',
    others: { writer: 'You may not create content of the type islandora_object.' },
  },
  {
    act: 'create an article',
    ask: create('/node', () => ({ type: 'article', title: ['x'] })),
    expected: '401 403 201 201 403 201',
    reason: '',
  },
  {
    act: 'list the revisions of a node',
    ask: read(async (site) => `/node/${await site.node()}/revisions`),
    expected: '401 403 200 200 403 200',
    reason: REVISIONS,
  },
  {
    act: 'list the revisions of an unpublished node',
    ask: read(async (site) => `/node/${await site.node(false)}/revisions`),
    expected: '401 403 200 403 403 200',
    reason: '',
  },
  {
    act: 'revert to a revision',
    ask: async (site, as) => {
      const id = await site.node();
      const { vid } = (await (await site.repository.get(`/node/${id}?_format=json`)).json()) as EntityJson;
      await site.patched(`/node/${id}`, retitled);
      return site.repository.post(`/node/${id}/revisions/${vid[0].value}/revert?_format=json`, '', as);
    },
    expected: '401 403 200 403 403 200',
    reason: EDIT_ANY,
    others: { editor: REVERT },
  },
  {
    act: 'list the media of a node',
    ask: read(async (site) => `/node/${await site.node()}/media`),
    expected: '401 403 200 403 403 200',
    reason: "The 'manage media' permission is required.",
  },
  {
    act: 'list the members of a node',
    ask: read(async (site) => `/node/${await site.node()}/members`),
    expected: '401 403 200 403 403 200',
    reason: "The 'manage members' permission is required.",
  },
  {
    act: 'list the members of a hidden node',
    ask: read(async (site) => `/node/${await site.node(false, 'admin')}/members`),
    expected: '401 403 403 403 403 200',
    reason: "The 'manage members' permission is required.",
    others: { loader: '' },
  },
  {
    act: 'put an image on a node',
    ask: async (site, as) =>
      site.repository.put(
        `/node/${await site.node()}/media/image/${site.use}?_format=json`,
        PNG,
        { 'Content-Type': 'image/png', 'Content-Location': 'public://put.png' },
        as,
      ),
    // loader may create each type of media, and that is not `create media`; editor has both.
    expected: '401 403 403 403 201 201',
    reason: '',
  },
  {
    act: 'view a media',
    ask: read(async (site) => `/media/${await site.media()}`),
    expected: '200 200 200 200 200 200',
  },
  {
    act: 'view a media at its other address',
    ask: read(async (site) => `/media/${await site.media()}/edit`),
    expected: '200 200 200 200 200 200',
  },
  {
    act: 'view a media of a node',
    ask: read(async (site) => `/media/${await site.mediaOf(await site.node())}`),
    expected: '200 200 200 200 200 200',
  },
  {
    // The media is of the administrator, and loader may view the node that it belongs to.
    act: 'view a media of an unpublished node',
    ask: read(async (site) => `/media/${await site.mediaOf(await site.node(false))}`),
    expected: '401 403 200 403 403 200',
    reason: OF_HIDDEN_NODE,
  },
  {
    act: 'view a media of an unpublished node of the administrator',
    ask: read(async (site) => `/media/${await site.mediaOf(await site.node(false, 'admin'))}`),
    expected: '401 403 403 403 403 200',
    reason: OF_HIDDEN_NODE,
  },
  {
    act: 'view a media whose node was deleted',
    ask: read(async (site) => {
      const node = await site.node();
      const media = await site.mediaOf(node);
      expect((await site.repository.delete(`/node/${node}`, 'admin')).status).toBe(204);
      return `/media/${media}`;
    }),
    expected: '401 403 403 403 403 200',
    reason: OF_HIDDEN_NODE,
  },
  {
    act: 'view an unpublished media',
    ask: read(async (site) => `/media/${await site.media(false)}`),
    expected: '401 403 200 403 403 200',
    reason:
      "The user must be the owner and the 'view own unpublished media' permission is required when the media item is unpublished.",
  },
  {
    act: 'change a media',
    ask: change(async (site) => `/media/${await site.media()}`, renamed),
    expected: '401 403 200 403 200 200',
    reason: UPDATE_MEDIA,
  },
  {
    act: 'change a media of the administrator',
    ask: change(async (site) => `/media/${await site.media(true, 'admin')}`, renamed),
    expected: '401 403 403 403 200 200',
    reason: UPDATE_MEDIA,
  },
  {
    act: 'remove a media',
    ask: remove(async (site) => `/media/${await site.media()}`),
    expected: '401 403 204 403 204 204',
    reason: DELETE_MEDIA,
  },
  {
    act: 'create a media',
    ask: create('/entity/media', () => video()),
    expected: '401 403 201 403 201 201',
    reason: oneOf('administer media', 'create media', 'create remote_video media'),
  },
  {
    act: 'create a media at the short address',
    ask: create('/media', () => video()),
    expected: '401 403 201 403 201 201',
    reason: oneOf('administer media', 'create media', 'create remote_video media'),
  },
  {
    act: 'list the revisions of a media',
    ask: read(async (site) => `/media/${await site.media()}/revisions`),
    expected: '401 403 403 403 403 200',
    reason: oneOf('view all media revisions', 'administer media'),
  },
  {
    act: 'replace the file of a media',
    ask: async (site, as) =>
      site.repository.put(
        `/media/${(await site.picture('public')).id}/source?_format=json`,
        PNG,
        { 'Content-Type': 'image/png' },
        as,
      ),
    expected: '401 403 204 403 204 204',
    reason: "The 'update media' permission is required.",
  },
];

describe('only permitted callers', () => {
  it.each(ROWS)('$act', (row) => check(site, row));
});
