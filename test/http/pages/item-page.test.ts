import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createLog } from '../../../src/base/log.ts';
import type { FieldDefinition } from '../../../src/model/content-model.ts';
import { openRepository } from '../../../src/server/open-repository.ts';
import { createIiifSite, fixture, type IiifSite, idOf } from '../../support/iiif-site.ts';
import { detail, elementsOf } from '../../support/page.ts';
import type { As, EntityJson, TestRepository } from '../../support/test-repository.ts';

const MAX_PAGE_BYTES = 30 * 1024;
const HTML = { Accept: 'text/html' };
const SCRIPT = `"><script>ran()</script><svg/onload="ran()">`;
const LONG_TITLE = `${'Minutes of the Harbour Commission, '.repeat(7)}volume 12`.padEnd(255, '!');

let site: IiifSite;
let repository: TestRepository;
beforeAll(async () => {
  site = await createIiifSite();
  ({ repository } = site);
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const visit = (node: EntityJson, query = '', as?: As) => repository.get(`/node/${idOf(node)}${query}`, as, HTML);
async function pageOf(node: EntityJson, query = '', as?: As): Promise<string> {
  const response = await visit(node, query, as);
  expect(response.status).toBe(200);
  return response.text();
}
const textsOf = (html: string, selector: string) =>
  elementsOf(html, selector).map(({ text }) => text.replace(/\s+/g, ' '));
/** Elements that would run something, and handlers. */
function runningIn(html: string): string[] {
  return elementsOf(html, '*').flatMap(({ tag, attributes }) => [
    ...(tag === 'script' && attributes.type !== 'application/ld+json' && !attributes.src?.startsWith('/assets/')
      ? [tag]
      : []),
    ...Object.keys(attributes).filter((name) => name.startsWith('on') || name === 'style'),
  ]);
}

describe('the heading of an item', () => {
  it.each([
    ['a title of 255 characters', LONG_TITLE],
    ['Arabic', 'محاضر لجنة الميناء'],
    ['emoji', '👩🏽‍🚀 Crew of the 🚢 Annie Laurie 🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
    ['markup', SCRIPT],
  ])('shows %s as text', async (_name, title) => {
    const html = await pageOf(await site.item('image', [], { title: [{ value: title }] }));
    expect(elementsOf(html, 'h1').map(({ text, attributes }) => [text, attributes.dir])).toEqual([[title, 'auto']]);
    expect(runningIn(html)).toEqual([]);
  });

  it('names the model, with a link to similar items, and the date in words', async () => {
    const item = await site.item('image', [], { field_edtf_date_created: [{ value: '1929~' }] });
    const html = await pageOf(item);
    expect(textsOf(html, '.kind')).toEqual(['Image · about 1929']);
    const model = await repository.termId('http://purl.org/coar/resource_type/c_c513');
    expect(elementsOf(html, '.kind a')[0]?.attributes.href).toBe(`/taxonomy/term/${model}`);
  });
});

describe('the values of an item', () => {
  it('include names of rights and licences, with an icon', async () => {
    const rights = [
      'http://rightsstatements.org/vocab/NoC-US/1.0/',
      'https://creativecommons.org/licenses/by-nc-sa/4.0/',
      'https://creativecommons.org/publicdomain/zero/1.0/deed.en',
      'https://creativecommons.org.example/licenses/by/4.0/',
    ];
    const html = await pageOf(await site.item('image', [], { field_rights: rights.map((value) => ({ value })) }));
    expect(detail(html, 'Rights')).toEqual([
      'No Copyright – United States',
      'Creative Commons Attribution-NonCommercial-ShareAlike 4.0 (CC BY-NC-SA 4.0)',
      'Creative Commons Zero: No Rights Reserved (CC0 1.0)',
      'https://creativecommons.org.example/licenses/by/4.0/',
    ]);
    const links = elementsOf(html, 'a.rights[rel=license]').map(({ attributes }) => attributes.href);
    expect(links).toEqual(rights.slice(0, 3));
    expect(elementsOf(html, 'a.rights svg[aria-hidden=true]')).toHaveLength(3);
  });

  it('include valid points on a map of this site, and omit invalid ones', async () => {
    const points = [
      [49.16667, -123.93333],
      [-89.9, 179.99],
      [0, 0],
      [95, 10],
    ].map(([lat, lng]) => ({ lat, lng }));
    const html = await pageOf(await site.item('image', [], { field_coordinates: points }));
    expect(detail(html, 'Location')).toEqual([
      '49.16667° north, 123.93333° west',
      '89.9° south, 179.99° east',
      '0°, 0°',
      '95° north, 10° east',
    ]);
    expect(elementsOf(html, 'svg.map').map(({ attributes }) => attributes.viewbox ?? attributes.viewBox)).toEqual([
      '55.3 91.7 450 225',
      '1350 675 450 225',
      '675 337.5 450 225',
    ]);
    const [outline] = elementsOf(html, 'svg.map image');
    const asset = await repository.get(outline?.attributes.href ?? '');
    expect(asset.status).toBe(200);
    expect(asset.headers.get('Content-Type')).toBe('image/svg+xml');
    expect(asset.headers.get('Cache-Control')).toContain('immutable');
  });

  it('show stored HTML and script as text in every field', async () => {
    const { nodeTypes } = repository.running.services.model;
    const fields = nodeTypes.get('islandora_object')?.fields ?? [];
    const filled = Object.fromEntries(
      await Promise.all(fields.map(async (field) => [field.name, await filledValue(field)] as const)),
    );
    const item = await site.item('image', [], filled);
    // Its access terms close it to readers.
    const html = await pageOf(item, '', 'admin');
    expect(runningIn(html)).toEqual([]);
    const withRow = fields.filter(({ type }) => type !== 'comment').length - 6;
    const rows = elementsOf(html, '.fields dt, .description h2').length;
    expect(rows).toBe(withRow);
    expect(detail(html, 'Publisher')).toEqual([SCRIPT]);
    expect(html.length).toBeLessThan(MAX_PAGE_BYTES);
  });

  it('leave no empty section on an item without optional fields', async () => {
    const html = await pageOf(await site.item('image'));
    expect(elementsOf(html, '.fields, .description, .downloads, .extracted-text, .stage')).toEqual([]);
    expect(elementsOf(html, 'h1')).toHaveLength(1);
    expect(elementsOf(html, 'section, dl, ul, figure').filter(({ text }) => text === '')).toEqual([]);
  });
});

/** Returns a value for a field: script wherever the field holds text. */
async function filledValue({ type, name, targetType, targetBundles }: FieldDefinition): Promise<unknown[]> {
  if (type === 'edtf') return [{ value: '1908-05' }];
  if (type === 'integer') return [{ value: 5 }];
  if (type === 'geolocation') return [{ lat: 1, lng: 2 }];
  if (name === 'field_model') return [{ target_id: await repository.termId('https://schema.org/Book') }];
  if (targetType === 'node') return [{ target_id: idOf(await site.item('collection')) }];
  if (targetType === 'media') {
    const id = await site.put(await site.item('image'), 'png', await fixture('images/red.png'));
    return [{ target_id: id }];
  }
  if (targetType === undefined) return [{ value: SCRIPT, ...(type === 'text_long' && { format: 'basic_html' }) }];
  const body = { vid: [{ target_id: targetBundles?.[0] }], name: [{ value: `${SCRIPT} ${name}` }] };
  const term = (await (await repository.post('/taxonomy/term?_format=json', body, 'admin')).json()) as EntityJson;
  return [{ target_id: term.tid[0].value, ...(type === 'typed_relation' && { rel_type: 'relators:pht' }) }];
}

describe('the files of an item', () => {
  it('can be downloaded, with type and size, next to their text', async () => {
    const item = await site.item('image');
    await site.put(item, 'png', await fixture('images/red.png'));
    await site.put(item, 'txt', `Crew list\n${SCRIPT}\n${'sailor '.repeat(2000)}`, 'text');
    const html = await pageOf(item);
    const bytes = (await fixture('images/red.png')).length;
    expect(textsOf(html, '.downloads li')[0]).toMatch(new RegExp(`^PNG image \\d+\\.png, ${bytes} bytesOriginal File`));
    const [text] = elementsOf(html, '.extracted-text .lines');
    expect(text?.text).toStartWith(`Crew list\n">\nsailor sailor`);
    expect(text?.text).toEndWith('sailor…');
    expect(runningIn(html)).toEqual([]);
    expect(textsOf(html, '.extracted-text a')).toEqual(['Read the whole text']);
    expect(html.length).toBeLessThan(MAX_PAGE_BYTES);
    const images = elementsOf(html, 'main img').map(({ attributes }) => [attributes.width, attributes.height]);
    expect(images.filter(([width, height]) => !(Number(width) > 0 && Number(height) > 0))).toEqual([]);
  });

  it('are hidden with their text from callers who may not view their media', async () => {
    const item = await site.item('image');
    const media = await site.put(item, 'txt', 'Secret crew list', 'text');
    const unpublish = { bundle: [{ target_id: 'extracted_text' }], status: [{ value: false }] };
    expect((await repository.patch(`/media/${media}?_format=json`, unpublish, 'admin')).status).toBe(200);
    expect(await pageOf(item, '', 'admin')).toContain('Secret crew list');
    const html = await pageOf(item);
    expect(html).not.toContain('Secret crew list');
    expect(html).not.toContain(`/media/${media}`);
    expect(elementsOf(html, '.downloads')).toEqual([]);
  });

  it('omit a media that has lost its file', async () => {
    const item = await site.item('image');
    const media = await site.put(item, 'png', await fixture('images/red.png'));
    await repository.running.services.database.write([
      `DELETE FROM reference WHERE source_type = 'media' AND source_id = ${media} AND field = 'field_media_image'`,
      `UPDATE media SET linked = NULL WHERE id = ${media}`,
    ]);
    const html = await pageOf(item);
    expect(elementsOf(html, '.downloads a').map(({ attributes }) => attributes.href)).toEqual([`/media/${media}`]);
    expect(elementsOf(html, '.stage')).toEqual([]);
  });
});

describe('the query string of a page', () => {
  it.each([
    ['page', 'x'],
    ['page', '-1'],
    ['page', '1e3'],
    ['sort', 'size'],
    ['view', 'table'],
    ['in', 'x'],
  ])('rejects %s=%s', async (name, value) => {
    const response = await visit(await site.item('image'), `?${name}=${value}`);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(`The query parameter &quot;${name}&quot; must be`);
  });

  it('is ignored for data, and may contain foreign parameters', async () => {
    const item = await site.item('image');
    expect((await repository.get(`/node/${idOf(item)}?_format=json&page=x`)).status).toBe(200);
    expect((await visit(item, '?utm_source=letter&fbclid=1&page=&in=')).status).toBe(200);
  });
});

describe('a cached page', () => {
  it('reflects changes of its files, terms and content', async () => {
    const item = await site.item('image');
    const media = await site.put(item, 'txt', 'First text', 'text');
    const first = await visit(item);
    const etag = first.headers.get('ETag') ?? '';
    expect(await first.text()).toContain('First text');
    const get = (tag: string) => repository.get(`/node/${idOf(item)}`, undefined, { ...HTML, 'If-None-Match': tag });
    expect((await get(etag)).status).toBe(304);
    const edited = {
      bundle: [{ target_id: 'extracted_text' }],
      field_edited_text: [{ value: 'Second text', format: 'plain_text' }],
    };
    expect((await repository.patch(`/media/${media}?_format=json`, edited, 'admin')).status).toBe(200);
    const second = await get(etag);
    expect(second.status).toBe(200);
    expect(await second.text()).toContain('Second text');
    const model = await repository.termId('http://purl.org/coar/resource_type/c_c513');
    const renamed = { vid: [{ target_id: 'islandora_models' }], name: [{ value: 'Picture' }] };
    expect((await repository.patch(`/taxonomy/term/${model}?_format=json`, renamed, 'admin')).status).toBe(200);
    expect(textsOf(await pageOf(item), '.kind')).toEqual(['Picture']);
    renamed.name = [{ value: 'Image' }];
    expect((await repository.patch(`/taxonomy/term/${model}?_format=json`, renamed, 'admin')).status).toBe(200);
  });

  it('reflects changes of its neighbours, and hides those the caller may not view', async () => {
    const collection = await site.item('collection', [], { title: [{ value: 'Photographs' }] });
    const item = await site.item('image', [collection]);
    const next = await site.item('image', [collection], { title: [{ value: 'Crew' }] });
    const change = async (node: EntityJson, fields: object) => {
      const body = { type: [{ target_id: 'islandora_object' }], ...fields };
      expect((await repository.patch(`/node/${idOf(node)}?_format=json`, body, 'admin')).status).toBe(200);
    };
    expect(await pageOf(item)).toContain('Crew');
    await change(next, { title: [{ value: 'Sailors' }] });
    expect(await pageOf(item)).toContain('Sailors');
    await change(next, { status: [{ value: false }] });
    expect(await pageOf(item, '', 'admin')).toContain('Sailors');
    for (const page of [item, collection]) expect(await pageOf(page)).not.toContain('Sailors');
    await change(collection, { title: [{ value: 'Pictures' }] });
    expect(textsOf(await pageOf(item), '.crumbs a')).toEqual(['Pictures']);
    await change(collection, { status: [{ value: false }] });
    expect(elementsOf(await pageOf(item), '.crumbs')).toEqual([]);
  });

  it('differs by the collection in the query string', async () => {
    const [one, two] = [await site.item('collection'), await site.item('collection')];
    const item = await site.item('image', [one, two]);
    await site.item('image', [one], { title: [{ value: 'Next in the first' }] });
    await site.item('image', [two], { title: [{ value: 'Next in the second' }] });
    expect(await pageOf(item)).toContain('Next in the first');
    expect(await pageOf(item, `?in=${idOf(two)}`)).toContain('Next in the second');
    expect(await pageOf(item, `?in=${idOf(one)}`)).toContain('Next in the first');
    expect(elementsOf(await pageOf(item), '.crumbs ol')).toHaveLength(2);
  });

  it('reflects a change of another process', async () => {
    const item = await site.item('image');
    await site.put(item, 'png', await fixture('images/red.png'));
    expect(textsOf(await pageOf(item), '.downloads li')[0]).toContain('bytes');
    const log = createLog({ level: 'fatal', format: 'json', destination: { write: () => undefined } });
    const beside = await openRepository(repository.config, log);
    try {
      await beside.services.database.write([`UPDATE file SET filesize = 84200000 WHERE filemime = 'image/png'`]);
      expect(textsOf(await pageOf(item), '.downloads li')[0]).toContain('84.2 MB');
    } finally {
      await beside.close();
    }
  });
});

describe('the permanent link of an item', () => {
  const permanent = async (node: EntityJson) => elementsOf(await pageOf(node), '#page-permanent')[0]?.text;

  it('is a permanent identifier or else the address of the page', async () => {
    const doi = 'https://doi.org/10.1000/182';
    expect(await permanent(await site.item('image', [], { field_identifier: [{ value: doi }] }))).toBe(doi);
    const item = await site.item('image', [], { field_identifier: [{ value: 'HCA-1929-0042' }] });
    expect(await permanent(item)).toBe(`${repository.url}/node/${idOf(item)}`);
  });
});

describe('the data links of an item', () => {
  const linksOf = async (node: EntityJson) =>
    elementsOf(await pageOf(node), '.data a').map(({ text, attributes }) => [text, attributes.href]);

  it('lead to JSON, JSON-LD and a manifest or collection', async () => {
    const [item, collection] = [await site.item('image'), await site.item('collection')];
    const data = (node: EntityJson) => [
      ['JSON', `/node/${idOf(node)}?_format=json`],
      ['JSON-LD', `/node/${idOf(node)}?_format=jsonld`],
    ];
    const linkset = (node: EntityJson) => ['Linkset', `${repository.url}/node/${idOf(node)}/linkset`];
    expect(await linksOf(item)).toEqual([...data(item), linkset(item)]);
    await site.put(item, 'png', await fixture('images/red.png'));
    const manifest = (node: EntityJson) => `/node/${idOf(node)}/manifest`;
    expect(await linksOf(item)).toEqual([...data(item), ['IIIF manifest', manifest(item)], linkset(item)]);
    expect(await linksOf(collection)).toContainEqual(['IIIF collection', manifest(collection)]);
    for (const node of [item, collection]) expect((await repository.get(manifest(node))).status).toBe(200);
  });
});

describe('the embeddable page', () => {
  const embed = (node: EntityJson, as?: As) => repository.get(`/node/${idOf(node)}/embed`, as, HTML);

  it('shows only the files, and can be framed by other sites', async () => {
    const item = await site.item('image', [], { title: [{ value: `A & ${SCRIPT}` }] });
    await site.put(item, 'png', await fixture('images/red.png'));
    const response = await embed(item);
    expect(response.status).toBe(200);
    expect(response.headers.get('X-Frame-Options')).toBeNull();
    expect(response.headers.get('Content-Security-Policy')).not.toContain('frame-ancestors');
    const html = await response.text();
    expect(elementsOf(html, '.stage img')).toHaveLength(1);
    expect(elementsOf(html, 'header, footer, nav')).toEqual([]);
    expect(runningIn(html)).toEqual([]);
    expect(elementsOf(html, 'h1 a')[0]?.attributes.href).toBe(`${repository.url}/node/${idOf(item)}`);
    const code = elementsOf(await pageOf(item), '#page-embed')[0]?.text ?? '';
    const [frame] = elementsOf(code, 'iframe');
    expect(frame?.attributes.src).toBe(`${repository.url}/node/${idOf(item)}/embed`);
    expect(frame?.attributes.title).toBe(`A & ${SCRIPT}`);
    expect(runningIn(code)).toEqual([]);
  });

  it('of an unpublished node requires access, and cannot be framed elsewhere', async () => {
    const item = await site.item('image', [], { status: [{ value: false }] });
    await site.put(item, 'png', await fixture('images/red.png'));
    expect((await embed(item)).status).toBe(401);
    const response = await embed(item, 'admin');
    expect(response.status).toBe(200);
    expect(response.headers.get('X-Frame-Options')).toBe('SAMEORIGIN');
    expect(response.headers.get('Content-Security-Policy')).toContain("frame-ancestors 'self'");
    expect(elementsOf(await pageOf(item, '', 'admin'), '#page-embed')).toEqual([]);
  });

  it('returns 404 for an unknown node, and reports a node without files', async () => {
    expect((await repository.get('/node/999999/embed', undefined, HTML)).status).toBe(404);
    expect(textsOf(await (await embed(await site.item('image'))).text(), '.stage')).toEqual([
      'This item has nothing to show here.',
    ]);
  });
});
