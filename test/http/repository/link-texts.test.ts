import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { linkLines, linksIn } from '../../support/link-lines.ts';
import { createLinkedSite, type LinkedSite } from '../../support/linked-site.ts';
import { speak } from '../../support/raw-http.ts';
import { PNG } from '../../support/repository-routes.ts';
import { basic, type EntityJson } from '../../support/test-repository.ts';

const ORIGINAL = 'http://pcdm.org/use#OriginalFile';
const MARKED_LABEL = 'Part "of", <whole>; \\ Teil für alle';
/** A field of nodes whose label, the title of its links, holds all characters that a label may. */
const MODEL = `
node_types:
  islandora_object:
    fields:
      field_part_of: { label: ${JSON.stringify(MARKED_LABEL)}, type: entity_reference, target_type: node }
`;

let site: LinkedSite;
beforeAll(async () => {
  site = await createLinkedSite(MODEL);
});
afterAll(async () => {
  expect(site.repository.failures()).toEqual([]);
  await site.stop();
});

/** The link of a node to the one term that it names, and the headers it came with. */
async function tagOf(fields: object) {
  const node = await site.node(fields);
  const response = await site.repository.get(`/node/${node}?_format=json`);
  const { length } = response.headers.get('link') ?? '';
  const [model, tag, ...others] = linksIn(response).filter(({ rel }) => rel === 'tag');
  expect({ title: model?.title, others }).toEqual({ title: 'Image', others: [] });
  return { tag, length, headers: [...response.headers.keys()] };
}

/** A name as long as a header has room for. */
const longest = (character: string) => character.repeat(character < '\u0100' ? 255 : 120);
const inOneLine = (title: string) => title.replace(/[\r\n\t]|\u2028|\u0085/g, ' ').trim();

describe('the title of a link', () => {
  it.each<[string]>([
    ['"quoted"'],
    ['a, b, <c>; rel="next"'],
    ['\\'],
    ['\\"'],
    ['ends with \\'],
    ['<https://other.example/>; rel="canonical"; title="x"'],
    ["an 'apostrophe' and 100 %22 *"],
    ["UTF-8''x%20y"],
    ['Библиотека, «книги»'],
    ['مكتبة؛ كتب'],
    ['日本の図書館'],
    ['📚 and 👩‍👩‍👧'],
    ['e\u0301 and \u202eright to left'],
    [longest('x')],
    [longest('"')],
    [longest('\\')],
    [longest('ж')],
    [longest('图')],
    ['📚'.repeat(90)],
  ])('is the exact name of the term: %j', async (name) => {
    const subject = await site.term('subject', name);
    const { tag } = await tagOf({ field_subject: [subject] });
    const href = `${site.repository.url}/taxonomy/term/${subject}`;
    expect(tag).toEqual({ href, rel: 'tag', title: name, type: undefined });
  });

  it.each<[string]>([
    ['one\r\nSet-Cookie: a=b\r\n\r\n<html>'],
    ['one\nX-Injected: 1'],
    ['one\rX-Injected: 1'],
    ['one\u0085X-Injected: 1'],
    ['one\u2028X-Injected: 1 ж'],
    ['one\ttwo'],
  ])('is a single line for the name %j', async (name) => {
    const plain = await tagOf({ field_subject: [await site.term('subject', 'plain')] });
    const { tag, headers } = await tagOf({ field_subject: [await site.term('subject', name)] });
    expect(tag?.title?.trim().replace(/ +/g, ' ')).toBe(inOneLine(name).replace(/ +/g, ' '));
    expect(headers).toEqual(plain.headers);
  });

  it('injects no header into the response', async () => {
    const name = 'one\r\nX-Injected: 1\r\n\r\n<script>';
    const node = await site.node({ field_subject: [await site.term('subject', name)] });
    const request = `HEAD /node/${node}?_format=json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    const { text } = await speak(Number(site.repository.running.url.port), [request]);
    expect(text).toStartWith('HTTP/1.1 200 OK\r\n');
    expect(text.indexOf('\r\n\r\n')).toBe(text.length - 4);
    expect(text).not.toMatch(/^x-injected/im);
    expect(text).toMatch(/^link: [ -~]+\r$/im);
  });

  it('is the exact label of a reference field', async () => {
    const whole = await site.node();
    const part = await site.node({ field_part_of: [whole] });
    const links = linksIn(await site.repository.get(`/node/${part}?_format=json`));
    expect(links.filter(({ rel }) => rel === 'related').map(({ title }) => title)).toEqual([MARKED_LABEL]);
  });

  it('is the name of the use for a media', async () => {
    const name = 'Титульный "лист", \\ verso';
    const use = await site.term('islandora_media_use', name, { field_external_uri: ['http://pcdm.org/use#Own'] });
    const node = await site.node();
    const { id } = await site.picture(node, ORIGINAL);
    await site.changeMedia(id, { field_media_use: [use] });
    const links = linksIn(await site.repository.get(`/node/${node}?_format=json`, 'reader'));
    expect(links.filter(({ rel }) => rel === 'related').map(({ title }) => title)).toEqual([name]);
  });
});

describe('the language of a title', () => {
  const headerOf = async (node: number, as?: string) =>
    (await site.repository.get(`/node/${node}?_format=json`, as)).headers.get('link') ?? '';

  it.each(['en', 'und'])('is the language of the term: %s', async (language) => {
    const subject = await site.term('subject', 'Käthe', { langcode: [language] });
    expect(await headerOf(await site.node({ field_subject: [subject] }))).toContain(
      `/taxonomy/term/${subject}>; rel="tag"; title*=UTF-8'${language}'K%C3%A4the`,
    );
  });

  it('follows a change of the term', async () => {
    const subject = await site.term('subject', 'Käthe', { langcode: ['en'] });
    const node = await site.node({ field_subject: [subject] });
    expect(await headerOf(node)).toContain("title*=UTF-8'en'");
    await site.change(`/taxonomy/term/${subject}`, { vid: 'subject', langcode: ['und'] });
    expect(await headerOf(node)).toContain("title*=UTF-8'und'");
  });

  it('is the language of the use for a media', async () => {
    const fields = { field_external_uri: ['http://pcdm.org/use#Own2'], langcode: ['und'] };
    const use = await site.term('islandora_media_use', 'Rückseite', fields);
    const node = await site.node();
    const { id } = await site.picture(node, ORIGINAL);
    await site.changeMedia(id, { field_media_use: [use] });
    expect(await headerOf(node, 'reader')).toContain(`/media/${id}>; rel="related"; title*=UTF-8'und'R%C3%BCckseite`);
  });

  it('is the site language for the label of a field', async () => {
    const part = await site.node({ field_part_of: [await site.node()] });
    expect(await headerOf(part)).toContain(`rel="related"; title*=UTF-8'en'Part%20%22of%22`);
  });
});

describe('the address of a term with an external URI', () => {
  it.each<[string, string]>([
    ['http://example.org/a b', 'http://example.org/a%20b'],
    ['http://example.org/>; rel="canonical"', 'http://example.org/%3E;%20rel=%22canonical%22'],
    ['http://example.org/?q=<x>&r="y"', 'http://example.org/?q=%3Cx%3E&r=%22y%22'],
    ['http://example.org/日本#é', 'http://example.org/%E6%97%A5%E6%9C%AC#%C3%A9'],
    ['http://example.org/%C3%A9/100%', 'http://example.org/%C3%A9/100%25'],
    ['http://bücher.example/', 'http://b%C3%BCcher.example/'],
    ['http://example.org/a,b;c', 'http://example.org/a,b;c'],
    ['http://example.org/{id}|\\^`', 'http://example.org/%7Bid%7D%7C%5C%5E%60'],
    ['http://example.org/📚', 'http://example.org/%F0%9F%93%9A'],
  ])('is encoded only where necessary: %s', async (uri, expected) => {
    const display = await site.term('islandora_display', 'A way', { field_external_uri: [uri] });
    const { tag } = await tagOf({ field_viewer_override: [display] });
    expect(tag).toEqual({ href: expected, rel: 'tag', title: 'A way', type: undefined });
    expect(URL.canParse(expected)).toBe(true);
  });

  it.each<[string]>([['internal:/node/1'], ['entity:node/1']])(
    'is the address of the term itself for the internal URI %s',
    async (uri) => {
      const display = await site.term('islandora_display', 'A way', { field_external_uri: [uri] });
      const { tag } = await tagOf({ field_viewer_override: [display] });
      expect(tag?.href).toBe(`${site.repository.url}/taxonomy/term/${display}`);
    },
  );

  it('is never a URI that runs or breaks headers', async () => {
    for (const uri of ['javascript:alert(1)', 'data:text/html,x', 'http://x/\r\nX-Injected: 1']) {
      const body = { vid: 'islandora_display', name: ['x'], field_external_uri: [uri] };
      expect((await site.repository.post('/taxonomy/term?_format=json', body, 'admin')).status).toBe(422);
    }
  });
});

describe('the address and type of a file', () => {
  async function put(name: string, contentType: string): Promise<{ id: number; url: string }> {
    const node = await site.node();
    const headers = { 'Content-Type': contentType, 'Content-Location': Buffer.from(name).toString('latin1') };
    const use = await site.repository.termId(ORIGINAL);
    const response = await site.repository.put(`/node/${node}/media/image/${use}`, PNG, headers, 'admin');
    if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
    const id = Number(response.headers.get('location')?.split('/').at(-1));
    const media = (await (await site.repository.get(`/media/${id}?_format=json`, 'admin')).json()) as EntityJson;
    return { id, url: media.field_media_image[0].url };
  }

  it.each<[string, string]>([
    ['public://a b.png', '/sites/default/files/a%20b.png'],
    ['public://"c",<d>;e.png', '/sites/default/files/%22c%22%2C%3Cd%3E%3Be.png'],
    ['fedora://ж/图 #1?.png', '/_flysystem/fedora/%D0%B6/%E5%9B%BE%20%231%3F.png'],
    ['private://100%41.png', '/system/files/100%2541.png'],
  ])('are those of its download: %s', async (name, path) => {
    const { id, url } = await put(name, 'image/png');
    expect(url).toBe(`${site.repository.url}${path}`);
    const links = linksIn(await site.repository.get(`/media/${id}?_format=json`, 'reader'));
    const file = links.filter(({ rel }) => rel === 'describes' || rel === 'item');
    const expected = { href: url, title: undefined, type: 'image/png' };
    expect(file).toEqual([
      { ...expected, rel: 'describes' },
      { ...expected, rel: 'item' },
    ]);
    const bytes = await site.repository.get(new URL(file[0]?.href as string).pathname, 'reader');
    expect(Buffer.from(await bytes.bytes())).toEqual(PNG);
  });

  it('omit an invalid type', async () => {
    const { id } = await put('public://typed.png', 'image/png');
    const { database } = site.repository.running.services;
    const sql = 'UPDATE file SET filemime = ? WHERE uri = ?';
    await database.write([{ sql, args: ['x"; rel="canonical', 'public://typed.png'] }]);
    const lines = linkLines(await site.repository.get(`/media/${id}?_format=json`, 'reader'), site.repository.url);
    expect(lines).toContain('describes /sites/default/files/typed.png');
    expect(lines.filter((line) => line.startsWith('canonical '))).toEqual([`canonical /media/${id}`]);
  });
});

describe('unrequested links', () => {
  it('cannot be injected with request headers', async () => {
    const node = await site.node();
    const path = `/node/${node}?_format=json`;
    const port = Number(site.repository.running.url.port);
    const strange = `GET ${path} HTTP/1.1\r\nHost: a"b>,<c\r\nAuthorization: ${basic('admin')}\r\nConnection: close\r\n\r\n`;
    const { text } = await speak(port, [strange]);
    expect(text).not.toContain('a"b>,<c');
  });
});
