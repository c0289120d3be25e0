import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { elementsOf } from '../../support/page.ts';
import { type MODEL, SiteBuilder, type Upload } from '../../support/site-builder.ts';
import { createTestRepository, type EntityJson, type TestRepository } from '../../support/test-repository.ts';

const RED = new URL('../../fixtures/images/red.png', import.meta.url);

let repository: TestRepository;
let build: SiteBuilder;
beforeAll(async () => {
  repository = await createTestRepository();
  build = new SiteBuilder(repository);
});
afterAll(async () => {
  expect(repository.failures()).toEqual([]);
  await repository.stop();
});

const authority = (uri: string) => ({ field_authority_link: [{ uri, source: 'other' }] });

/** Attaches a file, and returns the id of its media and the path of its bytes. */
async function attach(node: number, name: string, upload: Upload): Promise<{ id: number; path: string }> {
  const media = await build.media(node, { name, ...upload });
  const fields = Object.entries(media).filter(([field]) =>
    /^field_media_(?:image|file|video_file|audio_file|document)$/.test(field),
  );
  const [[, [{ url }]]] = fields as [[string, [{ url: string }]]];
  return { id: media.mid[0].value, path: new URL(url, repository.url).pathname };
}

async function headOf(path: string, as?: string) {
  const html = await (await repository.get(`${path}?_format=html`, as)).text();
  const metas = (name: string) => elementsOf(html, `meta[name="${name}"]`).map(({ attributes }) => attributes.content);
  const [, text = '{}'] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html) ?? [];
  return { metas, graph: JSON.parse(text) as EntityJson };
}

const risOf = async (id: number) => {
  const text = await (await repository.get(`/node/${id}/cite?style=ris`)).text();
  return text.split('\r\n')[0];
};

/** The item type that the translator "Embedded Metadata" of Zotero gives a page: `z:itemType`, unless a journal is named. */
const TYPES: [model: keyof typeof MODEL, resourceType: string | undefined, zotero: string][] = [
  ['image', undefined, 'artwork'],
  ['image', 'http://id.loc.gov/vocabulary/resourceTypes/pho', 'artwork'],
  ['audio', undefined, 'audioRecording'],
  ['video', undefined, 'videoRecording'],
  ['document', undefined, 'document'],
  ['document', 'http://id.loc.gov/vocabulary/resourceTypes/man', 'manuscript'],
  ['image', 'http://id.loc.gov/vocabulary/resourceTypes/map', 'map'],
  ['book', undefined, 'book'],
  ['binary', 'http://id.loc.gov/vocabulary/resourceTypes/dat', 'dataset'],
  ['collection', undefined, 'document'],
];

describe('the type of a work for Zotero', () => {
  it.each(TYPES)('of the model %s with the type %s is %s', async (model, resourceType, zotero) => {
    const fields =
      resourceType === undefined
        ? {}
        : {
            field_resource_type: [await build.term('resource_types', resourceType, authority(resourceType))],
          };
    const { metas } = await headOf(`/node/${await build.node(model, 'A work', fields)}`);
    expect(metas('z:itemType')).toEqual([zotero]);
    expect(metas('citation_title')).toEqual(['A work']);
  });

  it('is an article for a text of a journal, and not for a photograph of one', async () => {
    const journal = { field_parent_publication_title: ['Harbour News'], field_volume: ['3'] };
    const text = await build.node('document', 'On tides', journal);
    const photograph = await build.node('image', 'The flood', journal);
    const ofText = await headOf(`/node/${text}`);
    expect([ofText.metas('z:itemType'), ofText.metas('citation_journal_title')]).toEqual([[], ['Harbour News']]);
    const ofPhotograph = await headOf(`/node/${photograph}`);
    expect([ofPhotograph.metas('z:itemType'), ofPhotograph.metas('citation_journal_title')]).toEqual([['artwork'], []]);
    expect([await risOf(text), await risOf(photograph)]).toEqual(['TY  - JOUR', 'TY  - ART']);
  });
});

describe('the files of a work in schema.org', () => {
  it('have address, size and time, as search engines require for images', async () => {
    const id = await build.node('image', 'Red');
    const original = await attach(id, 'red.png', { bytes: await Bun.file(RED).bytes() });
    const thumbnail = await attach(id, 'red.png', { use: 'thumbnail', bytes: await Bun.file(RED).bytes() });
    const { graph } = await headOf(`/node/${id}`);
    const { created } = await build.read(`/node/${id}`);
    const url = (path: string) => `${repository.url}${path}`;
    expect(graph).toMatchObject({
      '@type': 'ImageObject',
      contentUrl: url(original.path),
      encodingFormat: 'image/png',
      contentSize: `${Bun.file(RED).size} B`,
      thumbnailUrl: url(thumbnail.path),
      uploadDate: created[0].value,
    });
    expect(new Date(graph.uploadDate).toISOString().slice(0, 19)).toBe(created[0].value.slice(0, 19));
    expect(graph.encoding).toContainEqual(
      expect.objectContaining({
        '@type': 'MediaObject',
        contentUrl: url(original.path),
        contentSize: expect.any(String),
      }),
    );
    const { graph: ofMedia } = await headOf(`/media/${original.id}`);
    expect(ofMedia).toMatchObject({
      ...{ contentUrl: url(original.path), contentSize: `${Bun.file(RED).size} B` },
      uploadDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
  });

  it('are those that the caller may view', async () => {
    const id = await build.node('video', 'Hidden film');
    const film = await attach(id, 'film.mp4', { bytes: 'film' });
    await build.change(`/media/${film.id}`, { bundle: 'video', status: [false] });
    const { graph } = await headOf(`/node/${id}`);
    expect(graph).toMatchObject({ '@type': 'VideoObject', name: 'Hidden film', uploadDate: expect.any(String) });
    for (const name of ['contentUrl', 'encoding', 'contentSize']) expect(graph).not.toHaveProperty(name);
    expect((await headOf(`/node/${id}`, 'admin')).graph.contentUrl).toBe(`${repository.url}${film.path}`);
  });

  it('of a data set are downloads, and it has a description', async () => {
    const type = 'http://purl.org/dc/dcmitype/Dataset';
    const id = await build.node('binary', 'Tide levels', {
      field_resource_type: [await build.term('resource_types', 'Data', authority(type))],
      field_abstract: ['Levels of the tide in the harbour from 1890 to 1960, every hour.'],
    });
    const file = await attach(id, 'data.zip', { bytes: 'PK' });
    const { graph } = await headOf(`/node/${id}`);
    expect(graph).toMatchObject({
      ...{ '@type': 'Dataset', description: expect.stringContaining('Levels of the tide') },
      distribution: {
        '@type': 'DataDownload',
        contentUrl: `${repository.url}${file.path}`,
        encodingFormat: 'application/zip',
      },
    });
    expect(graph).not.toHaveProperty('encoding');
  });

  it('of a book stand beside its authors', async () => {
    const author = await build.term('person', 'Boyle, Margaret');
    const id = await build.node('book', 'Tides', {
      field_linked_agent: [{ target_id: author, rel_type: 'relators:aut' }],
    });
    expect((await headOf(`/node/${id}`)).graph).toMatchObject({
      ...{ '@type': 'Book', name: 'Tides', url: `${repository.url}/node/${id}` },
      author: { '@type': 'Person', name: 'Boyle, Margaret' },
    });
  });
});

describe('the places of a work in schema.org', () => {
  it('are places, by name and by coordinates', async () => {
    const halifax = await build.term('geo_location', 'Halifax', {
      field_geo_geolocation: [{ lat: 44.6488, lng: -63.5752 }],
    });
    const id = await build.node('image', 'A view', {
      field_geographic_subject: [halifax],
      field_coordinates: [{ lat: 44.6, lng: -63.5 }],
    });
    expect((await headOf(`/node/${id}`)).graph.spatialCoverage).toEqual([
      { '@type': 'Place', name: 'Halifax', url: `${repository.url}/taxonomy/term/${halifax}` },
      { '@type': 'Place', geo: { '@type': 'GeoCoordinates', latitude: 44.6, longitude: -63.5 } },
    ]);
    expect((await headOf(`/taxonomy/term/${halifax}`)).graph).toMatchObject({
      ...{ '@type': 'Place', name: 'Halifax' },
      geo: { '@type': 'GeoCoordinates', latitude: 44.6488, longitude: -63.5752 },
    });
  });
});
