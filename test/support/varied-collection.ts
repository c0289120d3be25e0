import type { JsonObject } from '../../src/base/json.ts';
import type { FieldDefinition } from '../../src/model/content-model.ts';
import { type SiteBuilder, USE } from './site-builder.ts';
import type { TestRepository } from './test-repository.ts';

const OBJECT = 'islandora_object';
const IMAGES = `${import.meta.dir}/../fixtures/images`;

/**
 * A collection with a bit of everything: every field of the content model, a book with pages, media of many types in
 * several storage schemes, revisions of nodes and of media, several owners, aliases, and names in many scripts. The
 * repository gets the users ana and bo.
 */
export async function makeVariedCollection(repository: TestRepository): Promise<void> {
  const { build } = repository;
  const ana = await repository.user('ana', 'administrator');
  const bo = await repository.user('bo');
  const item = async (title: string, fields: JsonObject = {}, as?: string): Promise<number> =>
    (await build.item({ title: [title], ...fields }, as)).nid[0].value;
  const collection = await item('Letters & «Briefe»', { uid: [ana] });
  const book = await item('Ein Büchlein', { field_member_of: [collection] }, 'ana');
  const pages: number[] = [];
  for (const weight of [1, 2, 3])
    pages.push(await item(`Page ${weight}`, { field_member_of: [book], field_weight: [weight], uid: [bo] }));
  const varied = await makeVaried(repository, collection, book);
  await item('Not yet', { status: [false] });
  await makeArticle(build);
  await build.make('/node', {
    type: 'page',
    title: ['頁 ページ 🏛️'],
    path: [{ alias: '/about/頁' }],
    body: [{ value: 'About us', format: 'basic_html', summary: 'A <b>summary</b>' }],
  });
  const cover = await addMedia(repository, pages, varied);
  await change(build, collection, { field_representative_image: [cover], revision_log: ['A picture'] });
}

async function makeVaried({ build, running }: TestRepository, collection: number, book: number): Promise<number> {
  const fields: JsonObject = {};
  for (const definition of running.services.model.nodeTypes.get(OBJECT)?.fields ?? []) {
    const items = await itemsFor(build, definition, [collection, book]);
    if (items !== undefined) fields[definition.name] = items;
  }
  const { nid } = await build.item({
    title: ['Ærø — ‘varied’ "quotes" <b>no tag</b> \u{1F4DC}'],
    path: [{ alias: '/varied/Ærø' }],
    langcode: ['und'],
    promote: [false],
    sticky: [true],
    created: ['1999-12-31T23:59:59+01:00'],
    revision_log: ['The first words'],
    ...fields,
  });
  const id: number = nid[0].value;
  await change(build, id, { field_member_of: [book], title: ['Second'], revision_log: ['Moved\ntwice'] }, 'ana');
  await change(build, id, { field_rights: [], title: ['Third – e\u0301'] });
  return id;
}

/** Example values for each field type; undefined for fields that are set elsewhere. */
async function itemsFor(
  build: SiteBuilder,
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
      const person = await build.term('person', 'Doe, Jane');
      const family = await build.term('family', 'Døe 家');
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
      return several(await termsOf(build, targetBundles ?? []));
    default:
      throw new Error(`nothing is known for ${type} (${name})`);
  }
}

async function termsOf({ term }: SiteBuilder, vocabularies: readonly string[]): Promise<JsonObject[]> {
  const items: JsonObject[] = [];
  for (const vocabulary of vocabularies) {
    const above = await term(vocabulary, `Above ${vocabulary}`, { weight: [3] });
    const description = [{ value: 'Below <em>it</em>', format: 'basic_html' }];
    const below = await term(vocabulary, 'Paris', { parent: [above], description });
    const twin = await term(vocabulary, 'Paris');
    items.push({ target_id: below }, { target_id: twin });
  }
  return items;
}

async function makeArticle({ file, make }: SiteBuilder): Promise<void> {
  const { fid } = await file('node/article/field_image', 'röt.jpg', Bun.file(`${IMAGES}/red.jpg`));
  await make('/node', {
    type: 'article',
    title: ['News'],
    body: [{ value: '<p>News</p>', format: 'basic_html', summary: null }],
    field_image: [{ target_id: fid[0].value, alt: 'red', title: 'A red one' }],
  });
}

/** Returns the media that stands for the collection. */
async function addMedia({ build, put }: TestRepository, pages: readonly number[], varied: number): Promise<number> {
  const [first = 0, second = 0] = pages;
  const changeAudio = (fields: JsonObject, message: string) =>
    build.change(`/media/${audio}`, { bundle: 'audio', ...fields, revision_log_message: [message] });
  const replace = async (media: number, body: Bun.BodyInit, mimeType: string) => {
    const headers = { 'Content-Type': mimeType, 'Content-Disposition': 'attachment; filename="other"' };
    const response = await put(`/media/${media}/source`, body, headers, 'admin');
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  };
  const picture = (extension: string) => Bun.file(`${IMAGES}/red.${extension}`);
  const cover = await build.upload(first, { uri: encodeURI('public://pages/cover — ü.png'), bytes: picture('png') });
  const service = await build.upload(first, {
    use: 'service',
    uri: 'private://pages/cover.jpg',
    bytes: picture('jpg'),
  });
  await build.upload(first, { use: 'text', uri: 'fedora://text/one.txt', bytes: 'Zeile eins\nline <two>' });
  await build.upload(second, { uri: encodeURI('fedora://scans/二.tif'), bytes: bytes(300_000) });
  const audio = await build.upload(varied, { uri: 'private://sound/a.mp3', bytes: bytes(5_000) });
  await build.upload(varied, { uri: 'public://doc/empty-ish.pdf', bytes: '%PDF-1.4' });
  await changeAudio({ name: ['A sound ♪'], status: [false] }, 'Named');
  await replace(audio, bytes(7_000), 'audio/mpeg');
  await replace(service, await largerImage(), 'image/jpeg');
  const { fid } = await build.file('media/audio/field_track', 'wörds.vtt', 'WEBVTT\n');
  const subtitles = { target_id: fid[0].value, label: 'Words', kind: 'subtitles', srclang: 'en', default: true };
  await changeAudio({ field_track: [subtitles] }, 'With words');
  await build.make('/entity/media', {
    bundle: 'remote_video',
    name: ['A film'],
    field_media_of: [varied],
    field_media_use: [await build.termId(USE.service)],
    field_media_oembed_video: ['https://www.youtube.com/watch?v=dQw4w9WgXcQ'],
  });
  return cover;
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

async function change(build: SiteBuilder, id: number, fields: JsonObject, as?: string): Promise<void> {
  await build.change(`/node/${id}`, { type: OBJECT, ...fields }, as);
}
