import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type FormBrowser, formBrowser, type OpenPage, signedIn } from '../../support/form-call.ts';
import { SiteBuilder } from '../../support/site-builder.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';

let repository: TestRepository;
let build: SiteBuilder;
let admin: FormBrowser;
const jpeg = await Bun.file('test/fixtures/images/red.jpg').bytes();

beforeAll(async () => {
  repository = await createTestRepository();
  build = new SiteBuilder(repository);
  await repository.user('reader');
  admin = await signedIn(repository, 'admin');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const addressesOf = (page: OpenPage, selector: string) =>
  page
    .elements(selector)
    .map(({ attributes, text }) => [text.replace(/\s+/g, ' ').trim(), attributes.href?.replaceAll('&amp;', '&')]);

describe('the order of an item’s files', () => {
  const order = async (item: number) => {
    const media = await (await repository.get(`/node/${item}/media?_format=json`, 'admin')).json();
    return (media as { mid: [{ value: number }] }[]).map(({ mid }) => mid[0].value);
  };

  it('changes from their page, and stays when a file is changed or added', async () => {
    const item = await build.node('image', 'A wall');
    const [one, two] = [
      await build.upload(item, { name: 'one.jpg', bytes: jpeg }),
      await build.upload(item, { use: 'service', name: 'two.jpg', bytes: jpeg }),
    ];
    expect(await order(item)).toEqual([one, two]);
    const page = await admin.open(`/node/${item}/files`);
    expect(page.elements('tbody form button').map(({ text }) => text.trim())).toEqual([
      expect.stringContaining('Move down'),
      expect.stringContaining('Move up'),
    ]);
    const { name = '', value = '' } = page.elements('tbody form input[type=hidden]')[0]?.attributes ?? {};
    const move = (media: number, to: string) =>
      admin.post(`/node/${item}/files`, new URLSearchParams({ [name]: value, media: String(media), to }));
    expect((await move(two, 'forward')).status).toBe(303);
    expect(await order(item)).toEqual([two, one]);
    await build.change(`/media/${one}`, { bundle: 'image', name: ['Renamed'] });
    expect(await order(item)).toEqual([two, one]);
    const three = await build.upload(item, { use: 'thumbnail', name: 'three.jpg', bytes: jpeg });
    expect(await order(item)).toEqual([two, one, three]);
    await build.change(`/media/${three}`, { bundle: 'image', name: ['Small'] });
    expect(await order(item)).toEqual([two, one, three]);
    expect((await move(two, 'forward')).status).toBe(303);
    expect((await move(999_999, 'back')).status).toBe(303);
    expect(await order(item)).toEqual([two, one, three]);
    expect((await move(two, 'aside')).status).toBe(400);
  });
});

describe('the page of an item’s files', () => {
  it('lists each file with its use, type and size, and what its editor may change', async () => {
    const item = await build.node('video', 'A parade');
    const video = await build.upload(item, { name: 'parade.mp4', bytes: 'film' });
    const thumbnail = await build.upload(item, { use: 'thumbnail', name: 'parade.jpg', bytes: jpeg });
    expect(addressesOf(await admin.open(`/node/${item}`), '.edit-links a')).toContainEqual([
      'Files',
      `/node/${item}/files`,
    ]);
    const page = await admin.open(`/node/${item}/files`);
    const rows = page.elements('table.rows tbody tr').map(({ text }) => text.replace(/\s+/g, ' ').trim());
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatch(/Original File.*MP4 video.*4 bytes.*Replace.*Add captions.*Edit.*Delete/);
    expect(rows[1]).toMatch(/Thumbnail Image.*JPEG image.*pixels.*Replace/);
    expect(addressesOf(page, 'tbody .chips a').map(([, address]) => address)).toEqual([
      `/media/${video}/upload?choice=source`,
      `/media/${video}/upload?choice=track`,
      `/media/${video}/edit`,
      `/media/${video}/delete?with_files=1`,
      `/media/${thumbnail}/upload?choice=source`,
      `/media/${thumbnail}/edit`,
      `/media/${thumbnail}/delete?with_files=1`,
    ]);
    expect(addressesOf(page, '.additions a')).toEqual([
      ['Add files', `/node/${item}/upload?choice=files`],
      ['Add a transcript', `/node/${item}/upload?choice=files&use=transcript`],
      ['Use another thumbnail', `/media/${thumbnail}/upload?choice=source`],
    ]);
  });

  it('offers a thumbnail for an item without one', async () => {
    const item = await build.node('image', 'A negative');
    const page = await admin.open(`/node/${item}/files`);
    expect(page.html).toContain('This item has no files.');
    const [, address = ''] = addressesOf(page, '.additions a').at(-1) ?? [];
    expect(address).toBe(`/node/${item}/upload?choice=files&use=thumbnail`);
    const upload = await admin.open(address);
    expect(upload.elements('[name=use] option[selected]').map(({ text }) => text)).toEqual(['Thumbnail Image']);
  });

  it('is shown again after a media is deleted with its files', async () => {
    const item = await build.node('image', 'A print');
    const media = await build.media(item, { name: 'print.jpg', bytes: jpeg });
    const path = `/media/${media.mid[0].value}`;
    const form = await admin.open(`${path}/delete?with_files=1`);
    expect(form.elements('[name=with_files][checked]')).toHaveLength(1);
    const answer = await form.submit();
    expect(answer.headers.get('location')).toBe(`${repository.url}/node/${item}/files`);
    const file = media.field_media_image[0].target_id;
    expect((await repository.get(`/entity/file/${file}?_format=json`, 'admin')).status).toBe(404);
  });

  it('exists for callers who may change the item only', async () => {
    const item = await build.node('image', 'A map');
    const reader = await signedIn(repository, 'reader');
    expect((await reader.open(`/node/${item}/files`)).status).toBe(403);
    expect((await formBrowser(repository).open(`/node/${item}/files`)).status).toBe(401);
    expect(addressesOf(await reader.open(`/node/${item}`), `a[href="/node/${item}/files"]`)).toEqual([]);
    expect((await admin.open('/node/999999/files')).status).toBe(404);
  });
});
