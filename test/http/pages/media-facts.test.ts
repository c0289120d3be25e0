import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { elementsOf } from '../../support/page.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

const FITS = `<?xml version="1.0"?>
<fits xmlns="http://hul.harvard.edu/ois/xml/ns/fits/fits_output">
  <identification><identity format="PNG" mimetype="image/png"><version>1.2</version></identity></identification>
  <fileinfo><size>12</size><md5checksum>abc123</md5checksum></fileinfo>
  <metadata><image><imageWidth>400</imageWidth><colorSpace>&lt;script&gt;RGB</colorSpace></image></metadata>
  <toolOutput><tool>${'much '.repeat(50_000)}</tool></toolOutput>
</fits>`;
const USES = { original: 'http://pcdm.org/use#OriginalFile', fits: 'https://projects.iq.harvard.edu/fits' };

let repository: TestRepository;
beforeAll(async () => {
  repository = await createTestRepository();
  await repository.user('editor', 'content_editor');
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const png = () => Bun.file(new URL('../../fixtures/images/red.png', import.meta.url));

async function put(node: number, bundle: string, use: string, type: string, name: string, bytes: Bun.BodyInit) {
  const headers = { 'Content-Type': type, 'Content-Location': `public://${name}` };
  const path = `/node/${node}/media/${bundle}/${await repository.termId(use)}`;
  const response = await repository.put(path, bytes, headers, 'admin');
  expect(response.status).toBe(201);
  return new URL(response.headers.get('Location') ?? '').pathname;
}

async function pageAt(path: string, as?: string): Promise<string> {
  const response = await repository.get(path, as, { Accept: 'text/html' });
  expect(response.status).toBe(200);
  return response.text();
}

const node = async (title: string): Promise<number> =>
  (await repository.node({ title: [{ value: title }] })).nid[0].value;

/** The values of a list of terms by their terms. */
function pairsIn(html: string, list: string): Record<string, string> {
  const [terms, values] = ['dt', 'dd'].map((tag) => elementsOf(html, `${list} ${tag}`).map(({ text }) => text));
  return Object.fromEntries((terms ?? []).map((term, at) => [term, values?.[at] ?? '']));
}

describe('the facts on the page of a media', () => {
  it('are name, type, size, dimensions and checksum of its file in words', async () => {
    const id = await node('Moon');
    const path = await put(id, 'image', USES.original, 'image/png', 'red.png', png());
    const html = await pageAt(path);
    const media = (await (await repository.get(`${path}?_format=json`)).json()) as EntityJson;
    const bytes = await png().bytes();
    expect(pairsIn(html, '.source-file')).toEqual({
      Name: 'red.png',
      Type: 'PNG image (image/png)',
      Size: `${bytes.length} bytes`,
      Dimensions: `${media.field_width[0].value} × ${media.field_height[0].value} pixels`,
      'Checksum (SHA-256)': new Bun.CryptoHasher('sha256').update(bytes).digest('hex'),
    });
    expect(elementsOf(html, '.source-file a[download]')[0]?.attributes.href).toBe('/sites/default/files/red.png');
    expect(elementsOf(html, '.belonging')[0]?.text).toBe('Original File of Moon');
    expect(elementsOf(html, '.crumbs a').map(({ attributes }) => attributes.href)).toEqual([`/node/${id}`]);
    // Once is enough.
    expect(elementsOf(html, '.record .fields dt')).toEqual([]);
    expect(elementsOf(html, '.data a').map(({ text }) => text)).toEqual(['JSON', 'JSON-LD', 'Linkset']);
  });

  it('include readable technical metadata of an original file', async () => {
    const id = await node('Described');
    const original = await put(id, 'image', USES.original, 'image/png', 'described.png', png());
    expect(elementsOf(await pageAt(original), '.technical')).toEqual([]);
    const fits = await put(id, 'fits_technical_metadata', USES.fits, 'application/xml', 'described.xml', FITS);
    const expected = {
      Format: 'PNG 1.2 (image/png)',
      'MD5 checksum': 'abc123',
      'Image width': '400',
      'Color space': '<script>RGB',
    };
    const html = await pageAt(original);
    expect(pairsIn(html, '.technical')).toEqual(expected);
    expect(elementsOf(html, '.technical a').map(({ attributes }) => attributes.href)).toEqual([fits]);
    const own = await pageAt(fits);
    expect(pairsIn(own, '.technical')).toEqual(expected);
    expect(elementsOf(own, '.technical a')).toEqual([]);
  });

  it('omit technical metadata that is hidden from the caller or ambiguous', async () => {
    const id = await node('Hidden description');
    const original = await put(id, 'image', USES.original, 'image/png', 'hidden.png', png());
    const fits = await put(id, 'fits_technical_metadata', USES.fits, 'application/xml', 'hidden.xml', FITS);
    await repository.patch(`${fits}?_format=json`, { bundle: 'fits_technical_metadata', status: [false] }, 'admin');
    expect(elementsOf(await pageAt(original), '.technical')).toEqual([]);
    expect(elementsOf(await pageAt(original, 'admin'), '.technical')).toHaveLength(1);
    await put(id, 'document', USES.original, 'application/pdf', 'second.pdf', '%PDF');
    expect(elementsOf(await pageAt(original, 'admin'), '.technical')).toEqual([]);
  });

  it.each(['no XML at all', '<fits>'])('omit the invalid technical metadata %j', async (text) => {
    const id = await node('Odd');
    const name = `odd-${text.length}.xml`;
    const fits = await put(id, 'fits_technical_metadata', USES.fits, 'application/xml', name, text);
    const html = await pageAt(fits);
    expect(elementsOf(html, '.technical')).toEqual([]);
    expect(pairsIn(html, '.source-file').Name).toBe(name);
  });

  it('link to the history for callers who may view it', async () => {
    const id = await node('With history');
    const path = await put(id, 'image', USES.original, 'image/png', 'history.png', png());
    const history = (html: string) => elementsOf(html, '.record-foot p a').map(({ attributes }) => attributes.href);
    expect(history(await pageAt(path))).toEqual([]);
    expect(history(await pageAt(path, 'admin'))).toEqual([`${repository.url}${path}/revisions`]);
    expect(history(await pageAt(`/node/${id}`))).toEqual([]);
    expect(history(await pageAt(`/node/${id}`, 'editor'))).toEqual([`${repository.url}/node/${id}/revisions`]);
  });
});
