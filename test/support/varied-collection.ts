import type { JsonObject } from '../../src/base/json.ts';
import type { FieldDefinition } from '../../src/model/content-model.ts';
import type { EntityJson, TestRepository } from './test-repository.ts';

const OBJECT = 'islandora_object';
const IMAGES = `${import.meta.dir}/../fixtures/images`;

/** The ids of what `makeVariedCollection` makes. */
export interface VariedCollection {
  readonly collection: number;
  readonly book: number;
  readonly pages: readonly number[];
  /** A node with a value in every field, and with several revisions. */
  readonly varied: number;
  readonly hidden: number;
  readonly article: number;
  readonly page: number;
}

/**
 * A collection with a bit of everything: every field of the content model, a book with pages, media of many types in
 * several storage schemes, revisions of nodes and of media, several owners, aliases, and names in many scripts. The
 * repository gets the users ana and bo.
 */
export async function makeVariedCollection(repository: TestRepository): Promise<VariedCollection> {
  const ana = await repository.user('ana', 'administrator');
  const bo = await repository.user('bo');
  const collection = await idOf(
    repository.node({ title: [{ value: 'Letters & «Briefe»' }], uid: [{ target_id: ana }] }),
  );
  const book = await idOf(
    repository.node({ title: [{ value: 'Ein Büchlein' }], field_member_of: [{ target_id: collection }] }, 'ana'),
  );
  const pages: number[] = [];
  for (const weight of [1, 2, 3]) {
    const members = { field_member_of: [{ target_id: book }], field_weight: [{ value: weight }] };
    pages.push(
      await idOf(repository.node({ title: [{ value: `Page ${weight}` }], ...members, uid: [{ target_id: bo }] })),
    );
  }
  const varied = await makeVaried(repository, collection, book);
  const hidden = await idOf(repository.node({ title: [{ value: 'Not yet' }], status: [{ value: false }] }));
  const article = await makeArticle(repository);
  const page = await idOf(
    create(repository, '/node', {
      type: [{ target_id: 'page' }],
      title: [{ value: '頁 ページ 🏛️' }],
      path: [{ alias: '/about/頁' }],
      body: [{ value: 'About us', format: 'basic_html', summary: 'A <b>summary</b>' }],
    }),
  );
  const cover = await addMedia(repository, pages, varied);
  await change(repository, collection, { field_representative_image: [{ target_id: cover }] }, 'A picture');
  return { collection, book, pages, varied, hidden, article, page };
}

async function makeVaried(repository: TestRepository, collection: number, book: number): Promise<number> {
  const { model } = repository.running.services;
  const fields: JsonObject = {};
  for (const definition of model.nodeTypes.get(OBJECT)?.fields ?? []) {
    const items = await itemsFor(repository, definition, [collection, book]);
    if (items !== undefined) fields[definition.name] = items;
  }
  const id = await idOf(
    repository.node({
      title: [{ value: 'Ærø — ‘varied’ "quotes" <b>no tag</b> \u{1F4DC}' }],
      path: [{ alias: '/varied/Ærø' }],
      langcode: [{ value: 'und' }],
      promote: [{ value: false }],
      sticky: [{ value: true }],
      created: [{ value: '1999-12-31T23:59:59+01:00' }],
      revision_log: [{ value: 'The first words' }],
      ...fields,
    }),
  );
  await change(
    repository,
    id,
    { field_member_of: [{ target_id: book }], title: [{ value: 'Second' }] },
    'Moved\ntwice',
    'ana',
  );
  await change(repository, id, { field_rights: [], title: [{ value: 'Third – e\u0301' }] }, undefined);
  return id;
}

/** Example values for each field type; undefined for fields that are set elsewhere. */
async function itemsFor(
  repository: TestRepository,
  definition: FieldDefinition,
  nodes: readonly number[],
): Promise<JsonObject[] | undefined> {
  const { type, name, targetType, targetBundles, cardinality } = definition;
  const several = <T>(items: T[]) => (cardinality === 1 ? items.slice(0, 1) : items);
  switch (type) {
    case 'string':
    case 'string_long':
      return several([{ value: `${name} «é» 日本` }, { value: ' spaces, "quotes" | and : too ' }]);
    case 'text_long':
      return several([
        {
          value: '<p>A <em>text</em> with <script>alert(1)</script><a href="javascript:x">links</a></p>',
          format: 'basic_html',
        },
        { value: 'plain & <simple>\n\nhttps://example.org', format: 'plain_text' },
        { value: '<h1 onclick="x">Full</h1>', format: 'full_html' },
      ]);
    case 'edtf':
      return several([{ value: '1985-04-12/..' }, { value: '156X?' }, { value: '{1960,1961-12}' }]);
    case 'integer':
      return [{ value: 7 }];
    case 'geolocation':
      return several([
        { lat: -37.25, lng: 12.5 },
        { lat: 0, lng: 0 },
      ]);
    case 'typed_relation': {
      const person = await makeTerm(repository, 'person', 'Doe, Jane', {});
      const family = await makeTerm(repository, 'family', 'Døe 家', {});
      return [
        { target_id: person, rel_type: 'relators:pht' },
        { target_id: family, rel_type: 'relators:aut' },
        { target_id: person, rel_type: 'relators:aut' },
      ];
    }
    case 'entity_reference':
      if (name === 'field_model') return undefined;
      if (targetType === 'node') return several(nodes.map((target_id) => ({ target_id })));
      if (targetType !== 'taxonomy_term') return undefined;
      return several(await termsOf(repository, targetBundles ?? []));
    default:
      throw new Error(`nothing is known for ${type} (${name})`);
  }
}

async function termsOf(repository: TestRepository, vocabularies: readonly string[]): Promise<JsonObject[]> {
  const items: JsonObject[] = [];
  for (const vocabulary of vocabularies) {
    const above = await makeTerm(repository, vocabulary, `Above ${vocabulary}`, { weight: [{ value: 3 }] });
    const below = await makeTerm(repository, vocabulary, 'Paris', {
      parent: [{ target_id: above }],
      description: [{ value: 'Below <em>it</em>', format: 'basic_html' }],
    });
    const twin = await makeTerm(repository, vocabulary, 'Paris', {});
    items.push({ target_id: below }, { target_id: twin });
  }
  return items;
}

async function makeTerm(
  repository: TestRepository,
  vocabulary: string,
  name: string,
  fields: JsonObject,
): Promise<number> {
  const body = { vid: [{ target_id: vocabulary }], name: [{ value: name }], ...fields };
  const term = await create(repository, '/taxonomy/term', body);
  return term.tid[0].value;
}

async function makeArticle(repository: TestRepository): Promise<number> {
  const image = await upload(repository, 'node/article/field_image', Bun.file(`${IMAGES}/red.jpg`), 'röt.jpg');
  return idOf(
    create(repository, '/node', {
      type: [{ target_id: 'article' }],
      title: [{ value: 'News' }],
      body: [{ value: '<p>News</p>', format: 'basic_html', summary: null }],
      field_image: [{ target_id: image, alt: 'red', title: 'A red one' }],
    }),
  );
}

/** Uploads a file for a field and returns its id. */
async function upload(repository: TestRepository, field: string, body: Blob, name: string): Promise<number> {
  const response = await repository.fetch(`/file/upload/${field}?_format=json`, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/octet-stream', 'Content-Disposition': `file; filename="${name}"` },
    as: 'admin',
  });
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  return ((await response.json()) as EntityJson).fid[0].value;
}

async function replace(repository: TestRepository, media: number, body: Bun.BodyInit, mime: string): Promise<void> {
  const headers = { 'Content-Type': mime, 'Content-Disposition': 'attachment; filename="other"' };
  const response = await repository.put(`/media/${media}/source`, body, headers, 'admin');
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
}

const USES = { original: 'OriginalFile', service: 'ServiceFile', text: 'ExtractedText' } as const;

/** Returns the media that stands for the collection. */
async function addMedia(repository: TestRepository, pages: readonly number[], varied: number): Promise<number> {
  const [first = 0, second = 0] = pages;
  const put = (node: number, type: string, use: keyof typeof USES, uri: string, body: Bun.BodyInit, mime: string) =>
    putMedia(repository, node, type, USES[use], uri, body, mime);
  const cover = await put(
    first,
    'image',
    'original',
    'public://pages/cover — ü.png',
    Bun.file(`${IMAGES}/red.png`),
    'image/png',
  );
  const service = await put(
    first,
    'image',
    'service',
    'private://pages/cover.jpg',
    Bun.file(`${IMAGES}/red.jpg`),
    'image/jpeg',
  );
  await put(first, 'extracted_text', 'text', 'fedora://text/one.txt', 'Zeile eins\nline <two>', 'text/plain');
  await put(second, 'file', 'original', 'fedora://scans/二.tif', bytes(300_000), 'image/tiff');
  const audio = await put(varied, 'audio', 'original', 'private://sound/a.mp3', bytes(5_000), 'audio/mpeg');
  await put(varied, 'document', 'original', 'public://doc/empty-ish.pdf', '%PDF-1.4', 'application/pdf');
  await changeMedia(
    repository,
    audio,
    'audio',
    { name: [{ value: 'A sound ♪' }], status: [{ value: false }] },
    'Named',
  );
  await replace(repository, audio, bytes(7_000), 'audio/mpeg');
  await replace(repository, service, await largerImage(), 'image/jpeg');
  const track = await upload(repository, 'media/audio/field_track', new Blob(['WEBVTT\n']), 'wörds.vtt');
  const subtitles = { target_id: track, label: 'Words', kind: 'subtitles', srclang: 'en', default: true };
  await changeMedia(repository, audio, 'audio', { field_track: [subtitles] }, 'With words');
  await create(repository, '/entity/media', {
    bundle: [{ target_id: 'remote_video' }],
    name: [{ value: 'A film' }],
    field_media_of: [{ target_id: varied }],
    field_media_use: [{ target_id: await repository.termId(`http://pcdm.org/use#${USES.service}`) }],
    field_media_oembed_video: [{ value: 'https://www.youtube.com/watch?v=dQw4w9WgXcQ' }],
  });
  return cover;
}

async function putMedia(
  repository: TestRepository,
  node: number,
  type: string,
  use: string,
  uri: string,
  body: Bun.BodyInit,
  mime: string,
): Promise<number> {
  const term = await repository.termId(`http://pcdm.org/use#${use}`);
  const location = encodeURI(uri);
  const headers = { 'Content-Type': mime, 'Content-Location': location };
  const response = await repository.put(`/node/${node}/media/${type}/${term}`, body, headers, 'admin');
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  return Number(response.headers.get('Location')?.split('/').at(-1));
}

/** An image that says of itself that it is twice as wide as the others. */
async function largerImage(): Promise<Uint8Array<ArrayBuffer>> {
  const image = await Bun.file(`${IMAGES}/red.png`).bytes();
  const WIDTH_AT = 16;
  new DataView(image.buffer, image.byteOffset).setUint32(WIDTH_AT, 46);
  return image;
}

/** Bytes that are no text, the same each time. */
function bytes(count: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: count }, (_, index) => (index * index * 31 + index) % 251);
}

async function change(
  repository: TestRepository,
  id: number,
  fields: JsonObject,
  log: string | undefined,
  as = 'admin',
): Promise<void> {
  const words = log === undefined ? {} : { revision_log: [{ value: log }] };
  const body = { type: [{ target_id: OBJECT }], ...fields, ...words };
  const response = await repository.patch(`/node/${id}?_format=json`, body, as);
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
}

async function changeMedia(repository: TestRepository, id: number, bundle: string, fields: JsonObject, log: string) {
  const body = { bundle: [{ target_id: bundle }], ...fields, revision_log_message: [{ value: log }] };
  const response = await repository.patch(`/media/${id}?_format=json`, body, 'admin');
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
}

async function create(repository: TestRepository, path: string, body: JsonObject): Promise<EntityJson> {
  const response = await repository.post(`${path}?_format=json`, body, 'admin');
  if (response.status !== 201) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as EntityJson;
}

async function idOf(node: Promise<EntityJson>): Promise<number> {
  return (await node).nid[0].value;
}
