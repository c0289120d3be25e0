import type { RepositoryConfig } from '../../src/config/server-config.ts';
import { MODEL, USE } from './default-terms.ts';
import { createTestRepository, type EntityJson, type TestRepository } from './test-repository.ts';

/** The type, the extension and the media type of the files of tests. */
const KINDS = {
  jpg: ['image/jpeg', 'image'],
  png: ['image/png', 'image'],
  tif: ['image/tiff', 'file'],
  jp2: ['image/jp2', 'file'],
  mp3: ['audio/mpeg', 'audio'],
  mp4: ['video/mp4', 'video'],
  pdf: ['application/pdf', 'document'],
  txt: ['text/plain', 'extracted_text'],
  vtt: ['text/vtt', 'file'],
  hocr: ['text/vnd.hocr+html', 'file'],
  zip: ['application/zip', 'file'],
} as const;

/** A repository with functions that fill it for tests of IIIF. */
export interface IiifSite {
  readonly repository: TestRepository;
  /** Creates a node of a model, as a member of others. */
  item(model: keyof typeof MODEL, members?: readonly EntityJson[], fields?: object): Promise<EntityJson>;
  /** Stores a file as a media of a node, and returns the id of the media. */
  put(
    node: EntityJson,
    extension: keyof typeof KINDS,
    bytes: Uint8Array<ArrayBuffer> | string,
    use?: keyof typeof USE,
  ): Promise<number>;
  /** Reads the JSON of an answer with 200. */
  read(path: string, as?: string): Promise<EntityJson>;
  /** Returns the manifest of a node, which must exist. */
  manifest(node: EntityJson, as?: string, suffix?: string): Promise<EntityJson>;
}

export const idOf = (node: EntityJson): number => node.nid[0].value;

export async function createIiifSite(overrides: Partial<RepositoryConfig> = {}): Promise<IiifSite> {
  const repository = await createTestRepository(overrides);
  let files = 0;
  const read = async (path: string, as?: string) => {
    const response = await repository.get(path, as);
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as EntityJson;
  };
  return {
    repository,
    read,
    async item(model, parents = [], fields = {}) {
      return repository.node({
        field_model: [{ target_id: await repository.termId(MODEL[model]) }],
        field_member_of: parents.map((parent) => ({ target_id: idOf(parent) })),
        ...fields,
      });
    },
    async put(node, extension, bytes, use = 'original') {
      files += 1;
      const [type, media] = KINDS[extension];
      const path = `/node/${idOf(node)}/media/${media}/${await repository.termId(USE[use])}`;
      const headers = { 'Content-Type': type, 'Content-Location': `public://iiif/${files}.${extension}` };
      const response = await repository.put(path, bytes, headers, 'admin');
      if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
      return Number(response.headers.get('Location')?.split('/').at(-1));
    },
    manifest: (node, as, suffix = 'manifest') => read(`/node/${idOf(node)}/${suffix}`, as),
  };
}

/** Returns a fixture. */
export async function fixture(path: string): Promise<Uint8Array<ArrayBuffer>> {
  return Bun.file(new URL(`../fixtures/${path}`, import.meta.url)).bytes();
}

/** Returns the bytes of a PNG of a size, which has a header alone. */
export function pngOf(width: number, height: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(33);
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);
  const view = new DataView(bytes.buffer);
  view.setUint32(16, width);
  view.setUint32(20, height);
  bytes.set([8, 2], 24);
  return bytes;
}
