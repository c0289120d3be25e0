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
} from '../../support/access-site.ts';

let site: AccessSite;
beforeAll(async () => {
  site = await createAccessSite();
});
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  await site.stop();
});

const LISTS = oneOf('administer taxonomy', 'use islandora workbench');
const FILE_VIEW = 'You may read a file if you may view an item that refers to it.';
const TERM_VIEW = "The 'access content' permission is required and the taxonomy term must be published.";

// Columns: anonymous, reader, loader (the owner), writer, editor, admin.
const ROWS: AccessRow[] = [
  {
    act: 'view a term',
    ask: read(async (site) => `/taxonomy/term/${await site.term()}`),
    expected: '200 200 200 200 200 200',
  },
  {
    act: 'view an unpublished term',
    ask: read(async (site) => `/taxonomy/term/${await site.term(false)}`),
    expected: '401 403 200 403 403 200',
    reason: TERM_VIEW,
  },
  {
    act: 'create a term',
    ask: create('/taxonomy/term', (site) => site.tag()),
    expected: '401 403 201 201 403 201',
    reason: oneOf('create terms in tags', 'administer taxonomy'),
  },
  {
    act: 'change a term',
    ask: change(async (site) => `/taxonomy/term/${await site.term()}`, { vid: 'tags', name: ['changed'] }),
    expected: '401 403 200 200 403 200',
    reason: oneOf('edit terms in tags', 'administer taxonomy'),
  },
  {
    act: 'remove a term',
    ask: remove(async (site) => `/taxonomy/term/${await site.term()}`),
    expected: '401 403 204 403 403 204',
    reason: oneOf('delete terms in tags', 'administer taxonomy'),
  },
  {
    act: 'view the record of a file that nothing refers to',
    ask: read(async (site) => `/entity/file/${await site.uploaded()}`),
    expected: '401 403 200 403 403 200',
    reason: FILE_VIEW,
  },
  {
    act: 'fetch the icon of the program',
    ask: (site, as) => site.repository.get('/sites/default/files/media-icons/generic.png', as),
    expected: '200 200 200 200 200 200',
  },
  {
    act: 'remove a file',
    ask: remove(async (site) => `/entity/file/${await site.uploaded()}`),
    expected: '401 403 204 403 403 204',
    reason: "The 'delete any file' permission is required.",
  },
  {
    act: 'create a file without bytes',
    ask: create('/entity/file', () => ({ filename: 'x' })),
    expected: '401 403 403 403 403 403',
    reason: '',
  },
  {
    act: 'upload a file',
    ask: (site, as) => site.upload('image/field_media_image', as),
    expected: '401 403 201 403 201 201',
    reason: oneOf('administer media', 'create media', 'create image media'),
  },
  {
    act: 'view the account of another user',
    ask: read(async () => '/user/1'),
    expected: '401 403 200 403 403 200',
    reason: "The 'access user profiles' permission is required and the user must be active.",
  },
  {
    act: 'find a term by its URI',
    ask: (site, as) => site.repository.get('/term_from_uri?_format=json&uri=x', as),
    expected: '401 403 200 403 403 200',
    reason: LISTS,
  },
  {
    act: 'find a term by an authority link',
    ask: (site, as) => site.repository.get('/term_from_authority_link?_format=json&authority_link=x', as),
    expected: '401 403 200 403 403 200',
    reason: LISTS,
  },
  {
    act: 'find a term by its name',
    ask: (site, as) => site.repository.get('/term_from_term_name?_format=json&vocab=tags&name=x', as),
    expected: '401 403 200 403 403 200',
    reason: LISTS,
  },
  {
    act: 'list the terms of a vocabulary',
    ask: (site, as) => site.repository.get('/vocabulary/tags?_format=json', as),
    expected: '401 403 200 403 403 200',
    reason: LISTS,
  },
  {
    act: 'get a token',
    ask: (site, as) => site.repository.get('/jwt/token', as),
    expected: '401 200 200 200 200 200',
  },
  {
    act: 'read the public keys',
    ask: (site, as) => site.repository.get('/.well-known/jwks.json', as),
    expected: '200 200 200 200 200 200',
  },
  {
    act: 'request the health check',
    ask: (site, as) => site.repository.get('/healthcheck', as),
    expected: '200 200 200 200 200 200',
  },
];

/** The scheme makes no difference: a file follows the media that refers to it, and that its node. */
const fileRows = (scheme: string): AccessRow[] => [
  {
    act: `view the record of a file in ${scheme}`,
    ask: read(async (site) => `/entity/file/${(await site.picture(scheme)).file}`),
    expected: '200 200 200 200 200 200',
  },
  {
    act: `view the record of a file of an unpublished media in ${scheme}`,
    ask: read(async (site) => {
      const { id, file } = await site.picture(scheme);
      await site.patched(`/media/${id}`, { bundle: 'image', status: [false] });
      return `/entity/file/${file}`;
    }),
    expected: '401 403 200 403 403 200',
    reason: FILE_VIEW,
  },
  {
    act: `view the record of a file of an unpublished node in ${scheme}`,
    ask: read(async (site) => `/entity/file/${(await site.picture(scheme, false)).file}`),
    expected: '401 403 200 403 403 200',
    reason: FILE_VIEW,
  },
  {
    act: `fetch a file in ${scheme}`,
    ask: async (site, as) => site.repository.get((await site.picture(scheme)).path, as),
    expected: '200 200 200 200 200 200',
  },
  {
    act: `fetch a file of an unpublished media in ${scheme}`,
    ask: async (site, as) => {
      const { id, path } = await site.picture(scheme);
      await site.patched(`/media/${id}`, { bundle: 'image', status: [false] });
      return site.repository.get(path, as);
    },
    expected: '401 403 200 403 403 200',
    reason: FILE_VIEW,
  },
  {
    act: `fetch a file of an unpublished node in ${scheme}`,
    ask: async (site, as) => site.repository.get((await site.picture(scheme, false)).path, as),
    expected: '401 403 200 403 403 200',
    reason: FILE_VIEW,
  },
];

describe('only permitted callers', () => {
  it.each([...ROWS, ...['public', 'private', 'fedora'].flatMap(fileRows)])('$act', (row) => check(site, row));
});
