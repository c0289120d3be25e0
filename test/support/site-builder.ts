import type { JsonObject } from '../../src/base/json.ts';
import { MODEL, USE } from './default-terms.ts';
import type { DrawnPicture } from './site-files.ts';
import type { As, EntityJson, TestRepository } from './test-repository.ts';

export interface Upload {
  readonly use: keyof typeof USE;
  /** The media type of the content model: image, file, audio. */
  readonly media: string;
  readonly mimeType: string;
  /** The file name; a number precedes it. */
  readonly name: string;
  readonly bytes: Bun.BodyInit;
}

/** Fills a repository through its HTTP interface. */
export class SiteBuilder {
  #uploads = 0;

  constructor(readonly repository: TestRepository) {}

  async make(path: string, body: JsonObject, as: As = 'admin'): Promise<EntityJson> {
    const response = await this.repository.post(`${path}?_format=json`, body, as);
    if (response.status !== 201) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as EntityJson;
  }

  async change(path: string, body: JsonObject, as: As = 'admin'): Promise<EntityJson> {
    const response = await this.repository.patch(`${path}?_format=json`, body, as);
    if (response.status !== 200) throw new Error(`PATCH ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as EntityJson;
  }

  async term(vid: string, name: string, fields: JsonObject = {}): Promise<number> {
    return (await this.make('/taxonomy/term', { vid: [vid], name: [name], ...fields })).tid[0].value;
  }

  /** Creates a repository item of a model and returns its id. */
  async node(model: keyof typeof MODEL, title: string, fields: JsonObject = {}, as: As = 'admin'): Promise<number> {
    const field_model = [await this.repository.termId(MODEL[model])];
    return (await this.make('/node', { type: 'islandora_object', title: [title], field_model, ...fields }, as)).nid[0]
      .value;
  }

  /** Uploads a file to a node and returns the id of its media. */
  async upload(node: number, { use, media, mimeType, name, bytes }: Upload): Promise<number> {
    this.#uploads += 1;
    const headers = { 'Content-Type': mimeType, 'Content-Location': `public://${this.#uploads}/${name}` };
    const path = `/node/${node}/media/${media}/${await this.repository.termId(USE[use])}`;
    const response = await this.repository.put(path, bytes, headers, 'admin');
    if (response.status !== 201) throw new Error(`PUT ${path}: ${response.status} ${await response.text()}`);
    return Number(response.headers.get('location')?.split('/').at(-1));
  }

  /** Uploads a picture as original, service file and thumbnail, and returns the id of the original's media. */
  async picture(node: number, { original, service, thumbnail }: DrawnPicture, name: string): Promise<number> {
    const jpeg = { media: 'image', mimeType: 'image/jpeg' };
    const media = await this.upload(node, { ...jpeg, use: 'original', name: `${name}.jpg`, bytes: original });
    await this.upload(node, { ...jpeg, use: 'service', name: `${name}-service.jpg`, bytes: service });
    await this.upload(node, { ...jpeg, use: 'thumbnail', name: `${name}-thumbnail.jpg`, bytes: thumbnail });
    return media;
  }

  /** Uploads WebVTT captions and adds them to an audio or video media. */
  async captions(media: number, bundle: 'audio' | 'video', vtt: string): Promise<void> {
    const path = `/file/upload/media/${bundle}/field_track?_format=json`;
    const headers = {
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': `file; filename="captions-${media}.vtt"`,
    };
    const response = await this.repository.fetch(path, { method: 'POST', body: vtt, headers, as: 'admin' });
    if (response.status !== 201) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
    const { fid } = (await response.json()) as EntityJson;
    const track = { target_id: fid[0].value, label: 'English', kind: 'captions', srclang: 'en', default: true };
    await this.change(`/media/${media}`, { bundle, field_track: [track] });
  }
}
