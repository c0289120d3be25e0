import type { RepositoryConfig } from '../../src/config/server-config.ts';
import { MODEL, type Use } from './site-builder.ts';
import { createTestRepository, type EntityJson, type TestRepository } from './test-repository.ts';

/** A repository with functions that fill it for tests of IIIF. */
export interface IiifSite {
  readonly repository: TestRepository;
  /** Creates a node of a model, as a member of others. */
  item(model: keyof typeof MODEL, members?: readonly EntityJson[], fields?: object): Promise<EntityJson>;
  /** Stores a file as a media of a node, and returns the id of the media. */
  put(node: EntityJson, extension: string, bytes: Uint8Array<ArrayBuffer> | string, use?: Use): Promise<number>;
  /** Reads the JSON of an answer with 200. */
  read(path: string, as?: string): Promise<EntityJson>;
  /** Returns the manifest of a node, which must exist. */
  manifest(node: EntityJson, as?: string, suffix?: string): Promise<EntityJson>;
}

export const idOf = (node: EntityJson): number => node.nid[0].value;

export async function createIiifSite(overrides: Partial<RepositoryConfig> = {}): Promise<IiifSite> {
  const repository = await createTestRepository(overrides);
  const { json, item, upload, termId } = repository.build;
  let files = 0;
  return {
    repository,
    read: json,
    async item(model, parents = [], fields = {}) {
      const field_model = [await termId(MODEL[model])];
      return item({ field_model, field_member_of: parents.map(idOf), ...fields });
    },
    put(node, extension, bytes, use) {
      files += 1;
      return upload(idOf(node), { uri: `public://iiif/${files}.${extension}`, bytes, ...(use && { use }) });
    },
    manifest: (node, as, suffix = 'manifest') => json(`/node/${idOf(node)}/${suffix}`, as),
  };
}

/** Returns a fixture. */
export async function fixture(path: string): Promise<Uint8Array<ArrayBuffer>> {
  return Bun.file(new URL(`../fixtures/${path}`, import.meta.url)).bytes();
}
