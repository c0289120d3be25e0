import { join } from 'node:path';
import type Libsql from 'libsql';
import { openBesideServer } from './open-beside-server.ts';
import { ADMIN_PASSWORD, basic, type EntityJson } from './test-repository.ts';

/** The models and uses of the default terms, by what people call them. */
const MODELS = {
  Audio: 'http://purl.org/coar/resource_type/c_18cc',
  Image: 'http://purl.org/coar/resource_type/c_c513',
  Video: 'http://purl.org/coar/resource_type/c_12ce',
  'Digital Document': 'https://schema.org/DigitalDocument',
  'Paged Content': 'https://schema.org/Book',
  Page: 'http://id.loc.gov/ontologies/bibframe/part',
  Binary: 'http://purl.org/coar/resource_type/c_1843',
};
const ORIGINAL_FILE = 'http://pcdm.org/use#OriginalFile';

/** A media of a node, as one would list it. */
export interface ListedMedia {
  readonly id: number;
  /** The name of its term: Original File. */
  readonly use: string;
  readonly type: string;
  readonly mimeType: string;
  readonly size: number;
  /** The stream URI of its file, and where that is fetched. */
  readonly uri: string;
  readonly path: string;
}

/** A job as its row has it. */
export interface JobRow {
  readonly id: number;
  readonly event_id: string;
  readonly action: string;
  readonly node_id: number;
  readonly state: string;
  readonly attempts: number;
  readonly lease: string | null;
  readonly waits_for: string | null;
  readonly message: string | null;
}

/** An original that is to be put to a node. */
export interface Upload {
  readonly mediaType: string;
  readonly mimeType: string;
  /** The stream URI. */
  readonly location: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The items of a repository that runs as a program of its own, seen by its administrator. `origin` may change. */
export class Items {
  readonly #terms = new Map<string, EntityJson>();

  constructor(
    readonly origin: () => string,
    readonly dataFolder: string,
  ) {}

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { Authorization: basic('admin', ADMIN_PASSWORD), ...(init.headers as Record<string, string>) };
    return fetch(this.origin() + path, { ...init, headers, keepalive: false });
  }

  /** Creates an item and returns its number. */
  async make(model: keyof typeof MODELS, memberOf?: number): Promise<number> {
    const body = {
      type: [{ target_id: 'islandora_object' }],
      title: [{ value: model }],
      field_model: [{ target_id: await this.#termId(MODELS[model]) }],
      ...(memberOf !== undefined && { field_member_of: [{ target_id: memberOf }] }),
    };
    const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
    return (await this.#json('/node?_format=json', init)).nid[0].value;
  }

  /** Hides an item, with its media and files, from all who may not view what is unpublished. */
  async unpublish(node: number): Promise<void> {
    const body = JSON.stringify({ type: 'islandora_object', status: [false] });
    const headers = { 'Content-Type': 'application/json' };
    await this.#json(`/node/${node}?_format=json`, { method: 'PATCH', headers, body });
  }

  /** Puts the original of an item. Throws for any answer but 201. */
  async upload(node: number, { mediaType, mimeType, location, bytes }: Upload): Promise<void> {
    const path = `/node/${node}/media/${mediaType}/${await this.#termId(ORIGINAL_FILE)}`;
    const headers = { 'Content-Type': mimeType, 'Content-Location': location };
    const response = await this.fetch(path, { method: 'PUT', headers, body: bytes });
    if (response.status !== 201) throw new Error(`PUT ${path}: ${response.status} ${await response.text()}`);
  }

  /** The media of an item, by use. */
  async list(node: number): Promise<ListedMedia[]> {
    const all = (await this.#json(`/node/${node}/media?_format=json`)) as EntityJson[];
    const listed = all.map(async (media) => {
      const sources = ['field_media_file', 'field_media_image', 'field_media_audio_file', 'field_media_video_file'];
      const source = [...sources, 'field_media_document'].map((name) => media[name]?.[0]).find(Boolean);
      const file = await this.#json(`/entity/file/${source.target_id}?_format=json`);
      const term = await this.#json(`/taxonomy/term/${media.field_media_use[0].target_id}?_format=json`);
      return {
        id: media.mid[0].value,
        use: term.name[0].value,
        type: media.bundle[0].target_id,
        mimeType: file.filemime[0].value,
        size: file.filesize[0].value,
        uri: file.uri[0].value,
        path: new URL(file.uri[0].url, this.origin()).pathname,
      };
    });
    return (await Promise.all(listed)).sort((a, b) => a.use.localeCompare(b.use));
  }

  /** The bytes of a media. Throws for any answer but 200. */
  async bytes({ path }: Pick<ListedMedia, 'path'>): Promise<Uint8Array<ArrayBuffer>> {
    const response = await this.fetch(path);
    if (response.status !== 200) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
    return response.bytes();
  }

  /** Every job, the oldest first. */
  jobs(): JobRow[] {
    return this.#database((database) => database.prepare('SELECT * FROM derivative_job ORDER BY id').all() as JobRow[]);
  }

  /** Has what waits for its time tried at once. */
  hurry(): void {
    const sql = "UPDATE derivative_job SET available_at = 0 WHERE state = 'queued' AND lease IS NULL";
    this.#database((database) => database.prepare(sql).run());
  }

  #database<T>(use: (database: Libsql.Database) => T): T {
    const database = openBesideServer(join(this.dataFolder, 'repository.db'));
    try {
      return use(database);
    } finally {
      database.close();
    }
  }

  async #termId(uri: string): Promise<number> {
    const known = this.#terms.get(uri);
    if (known) return known.tid[0].value;
    const [term] = (await this.#json(`/term_from_uri?_format=json&uri=${encodeURIComponent(uri)}`)) as EntityJson[];
    if (term === undefined) throw new Error(`no term has the URI ${uri}`);
    this.#terms.set(uri, term);
    return term.tid[0].value;
  }

  // biome-ignore lint/suspicious/noExplicitAny: JSON of any schema
  async #json(path: string, init?: RequestInit): Promise<any> {
    const response = await this.fetch(path, init);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }
}
