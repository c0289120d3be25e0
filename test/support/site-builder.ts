import type { JsonObject } from '../../src/base/json.ts';
import type { DrawnPicture } from './site-files.ts';

/** The caller of a request: `admin`, the name of a user whose password is the name, or undefined for an anonymous caller. */
export type Caller = string | undefined;

/** An entity as the API answers it. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON of any schema
export type Entity = Record<string, any>;

/** The URIs of default terms of models. */
export const MODEL = {
  audio: 'http://purl.org/coar/resource_type/c_18cc',
  binary: 'http://purl.org/coar/resource_type/c_1843',
  book: 'https://schema.org/Book',
  collection: 'http://purl.org/dc/dcmitype/Collection',
  compound: 'http://vocab.getty.edu/aat/300242735',
  document: 'https://schema.org/DigitalDocument',
  image: 'http://purl.org/coar/resource_type/c_c513',
  issue: 'https://schema.org/PublicationIssue',
  newspaper: 'https://schema.org/Newspaper',
  page: 'http://id.loc.gov/ontologies/bibframe/part',
  video: 'http://purl.org/coar/resource_type/c_12ce',
} as const;

/** The URIs of default terms of media uses. */
export const USE = {
  original: 'http://pcdm.org/use#OriginalFile',
  service: 'http://pcdm.org/use#ServiceFile',
  thumbnail: 'http://pcdm.org/use#ThumbnailImage',
  text: 'http://pcdm.org/use#ExtractedText',
  transcript: 'http://pcdm.org/use#Transcript',
  tiles: 'http://iiif.io/api/image/3/ImageService',
  hocr: 'https://discoverygarden.ca/use#hocr',
} as const;

export type Use = keyof typeof USE;

/** The type of media and the media type of files, by their extension. */
const KINDS: Record<string, readonly [media: string, mimeType: string]> = {
  jpg: ['image', 'image/jpeg'],
  png: ['image', 'image/png'],
  tif: ['file', 'image/tiff'],
  jp2: ['file', 'image/jp2'],
  mp3: ['audio', 'audio/mpeg'],
  mp4: ['video', 'video/mp4'],
  pdf: ['document', 'application/pdf'],
  txt: ['extracted_text', 'text/plain'],
  vtt: ['file', 'text/vtt'],
  hocr: ['file', 'text/vnd.hocr+html'],
  xml: ['file', 'application/xml'],
  zip: ['file', 'application/zip'],
};

/** A file for a node. Its media and media type are by default those of its extension. */
export interface Upload {
  /** A key of `USE`, or the URI of another term (default: original). */
  readonly use?: string;
  /** The media type of the content model: image, file, audio. */
  readonly media?: string;
  readonly mimeType?: string;
  /** The file name; a number precedes it. */
  readonly name?: string;
  /** The stream URI, instead of a name. */
  readonly uri?: string;
  readonly bytes: Bun.BodyInit;
  readonly headers?: Record<string, string>;
  readonly as?: Caller;
}

/** A media with its file, as far as links tell of them. */
export interface Picture {
  readonly id: number;
  readonly file: number;
  /** The path of the bytes. */
  readonly path: string;
}

type Init = RequestInit & { as?: Caller };

/** A server of a repository. */
interface Server {
  fetch(path: string, init?: Init): Promise<Response>;
}

/** Fills a repository through its HTTP interface, as the administrator by default. All methods throw for other answers than success. */
export class SiteBuilder {
  #uploads = 0;
  readonly #terms = new Map<string, number>();

  constructor(readonly server: Server) {}

  /** Sends a request and returns its answer, which has the expected status. */
  readonly send = async (path: string, expected: number, init: Init = {}): Promise<Response> => {
    const response = await this.server.fetch(path, init);
    if (response.status === expected) return response;
    throw new Error(`${init.method ?? 'GET'} ${path}: ${response.status} ${await response.text()}`);
  };

  /** Returns the JSON of an address, for an anonymous caller by default. */
  readonly json = async (path: string, as?: Caller): Promise<Entity> =>
    (await (await this.send(path, 200, { as })).json()) as Entity;

  readonly #write = async (method: string, path: string, status: number, body: object, as: Caller): Promise<Entity> => {
    const init = { method, body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' }, as };
    return (await (await this.send(`${path}?_format=json`, status, init)).json()) as Entity;
  };

  readonly read = (path: string, as: Caller = 'admin'): Promise<Entity> => this.json(`${path}?_format=json`, as);

  readonly make = (path: string, body: object, as: Caller = 'admin'): Promise<Entity> =>
    this.#write('POST', path, 201, body, as);

  readonly change = (path: string, body: object, as: Caller = 'admin'): Promise<Entity> =>
    this.#write('PATCH', path, 200, body, as);

  readonly remove = async (path: string, as: Caller = 'admin'): Promise<void> => {
    await this.send(`${path}?_format=json`, 204, { method: 'DELETE', as });
  };

  /** Returns the id of a default term by its URI. */
  readonly termId = async (uri: string): Promise<number> => {
    const known = this.#terms.get(uri);
    if (known !== undefined) return known;
    const [term] = (await this.json(`/term_from_uri?_format=json&uri=${encodeURIComponent(uri)}`, 'admin')) as Entity[];
    if (term === undefined) throw new Error(`no default term has the URI ${uri}`);
    this.#terms.set(uri, term.tid[0].value);
    return term.tid[0].value;
  };

  /** Creates a term and returns its id. */
  readonly term = async (vid: string, name: string, fields: object = {}): Promise<number> =>
    (await this.make('/taxonomy/term', { vid: [vid], name: [name], ...fields })).tid[0].value;

  /** Creates a repository item, an image unless the fields say otherwise. */
  readonly item = async (fields: object = {}, as: Caller = 'admin'): Promise<Entity> => {
    const usual = { type: 'islandora_object', title: ['A title'], field_model: [await this.termId(MODEL.image)] };
    return this.make('/node', { ...usual, ...fields }, as);
  };

  /** Creates a repository item of a model and returns its id. */
  readonly node = async (
    model: keyof typeof MODEL,
    title: string,
    fields: JsonObject = {},
    as: Caller = 'admin',
  ): Promise<number> => {
    const field_model = [await this.termId(MODEL[model])];
    return (await this.item({ title: [title], field_model, ...fields }, as)).nid[0].value;
  };

  /** Puts a file to a node and returns the answer, whatever it is. */
  readonly put = async (node: number, upload: Upload): Promise<Response> => {
    this.#uploads += 1;
    const { use = 'original', name, bytes, headers } = upload;
    const location = upload.uri ?? (name && `public://${this.#uploads}/${name}`);
    const kind = KINDS[location?.split('.').at(-1) ?? ''];
    const { media = kind?.[0], mimeType = kind?.[1] } = upload;
    const term = await this.termId(USE[use as Use] ?? use);
    return this.server.fetch(`/node/${node}/media/${media}/${term}`, {
      method: 'PUT',
      body: bytes as NonNullable<RequestInit['body']>,
      headers: {
        'Content-Type': mimeType ?? 'application/octet-stream',
        ...(location !== undefined && { 'Content-Location': location }),
        ...headers,
      },
      as: 'as' in upload ? upload.as : 'admin',
    });
  };

  /** Puts a file to a node and returns the path of its new media. */
  readonly #putNew = async (node: number, upload: Upload): Promise<string> => {
    const response = await this.put(node, upload);
    if (response.status !== 201) throw new Error(`PUT to ${node}: ${response.status} ${await response.text()}`);
    return new URL(response.headers.get('location') as string).pathname;
  };

  /** Puts a file to a node and returns the id of its media. */
  readonly upload = async (node: number, upload: Upload): Promise<number> =>
    Number((await this.#putNew(node, upload)).split('/').at(-1));

  /** Puts a file to a node and returns its media. */
  readonly media = async (node: number, upload: Upload): Promise<Entity> => this.read(await this.#putNew(node, upload));

  /** Puts a picture to a node, as a media of a user. */
  readonly pictureOf = async (owner: number, node: number, upload: Upload): Promise<Picture> => {
    const media = await this.change(await this.#putNew(node, upload), { bundle: 'image', uid: [owner] });
    const [{ target_id: file, url }] = media.field_media_image;
    return { id: media.mid[0].value, file, path: new URL(url).pathname };
  };

  /** Uploads a picture as original, service file and thumbnail, and returns the id of the original's media. */
  readonly picture = async (node: number, drawn: DrawnPicture, name: string): Promise<number> => {
    const media = await this.upload(node, { name: `${name}.jpg`, bytes: drawn.original });
    await this.upload(node, { use: 'service', name: `${name}-service.jpg`, bytes: drawn.service });
    await this.upload(node, { use: 'thumbnail', name: `${name}-thumbnail.jpg`, bytes: drawn.thumbnail });
    return media;
  };

  /** Uploads a file for a field (`media/image/field_media_image`) and returns the answer, whatever it is. */
  readonly postFile = (
    field: string,
    body: Bun.BodyInit,
    headers: Record<string, string>,
    as: Caller,
  ): Promise<Response> =>
    this.server.fetch(`/file/upload/${field}?_format=json`, {
      method: 'POST',
      body: body as NonNullable<RequestInit['body']>,
      headers: { 'Content-Type': 'application/octet-stream', ...headers },
      as,
    });

  /** Uploads a file for a field and returns its record. */
  readonly file = async (field: string, name: string, body: Bun.BodyInit, as: Caller = 'admin'): Promise<Entity> => {
    const response = await this.postFile(field, body, { 'Content-Disposition': `file; filename="${name}"` }, as);
    if (response.status !== 201) throw new Error(`${name} for ${field}: ${response.status} ${await response.text()}`);
    return (await response.json()) as Entity;
  };

  /** Uploads WebVTT captions and adds them to an audio or video media. */
  readonly captions = async (media: number, bundle: 'audio' | 'video', vtt: string): Promise<void> => {
    const { fid } = await this.file(`media/${bundle}/field_track`, `captions-${media}.vtt`, vtt);
    const track = { target_id: fid[0].value, label: 'English', kind: 'captions', srclang: 'en', default: true };
    await this.change(`/media/${media}`, { bundle, field_track: [track] });
  };
}
