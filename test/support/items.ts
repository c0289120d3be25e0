import { join } from 'node:path';
import type Libsql from 'libsql';
import { openBesideServer } from './open-beside-server.ts';
import { type MODEL, SiteBuilder } from './site-builder.ts';
import { type As, basic, type EntityJson } from './test-repository.ts';

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

/** The items of a repository that runs as a program of its own, seen by its administrator. `origin` may change. */
export class Items {
  readonly build = new SiteBuilder(this);

  constructor(
    readonly origin: () => string,
    readonly dataFolder: string,
  ) {}

  fetch(path: string, { as = 'admin', ...init }: RequestInit & { as?: As } = {}): Promise<Response> {
    const headers = { Authorization: basic(as), ...(init.headers as Record<string, string>) };
    return fetch(this.origin() + path, { ...init, headers, keepalive: false });
  }

  /** Creates an item and returns its number. */
  make(model: keyof typeof MODEL, memberOf?: number): Promise<number> {
    return this.build.node(model, model, memberOf === undefined ? {} : { field_member_of: [memberOf] });
  }

  /** Hides an item, with its media and files, from all who may not view what is unpublished. */
  async unpublish(node: number): Promise<void> {
    await this.build.change(`/node/${node}`, { type: 'islandora_object', status: [false] });
  }

  /** The media of an item, by use. */
  async list(node: number): Promise<ListedMedia[]> {
    const { read } = this.build;
    const all = (await read(`/node/${node}/media`)) as EntityJson[];
    const listed = all.map(async (media) => {
      const sources = ['field_media_file', 'field_media_image', 'field_media_audio_file', 'field_media_video_file'];
      const source = [...sources, 'field_media_document'].map((name) => media[name]?.[0]).find(Boolean);
      const file = await read(`/entity/file/${source.target_id}`);
      const term = await read(`/taxonomy/term/${media.field_media_use[0].target_id}`);
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
    return (await this.build.send(path, 200)).bytes();
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
}
