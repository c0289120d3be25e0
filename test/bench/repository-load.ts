import { join } from 'node:path';
import type { JsonObject } from '../../src/base/json.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { EXECUTABLE, type ServerProcess, startServer } from '../support/server-process.ts';
import { basic, type EntityJson } from '../support/test-repository.ts';
import { detailedNode, type Targets } from './fill.ts';

const AUTHORIZATION = `Authorization: ${basic('admin')}\r\n`;
const HOST = 'Host: localhost\r\n';

/**
 * Starts a repository on a data folder. Default: the executable of `make build`. It logs all requests to a file, which the
 * process that sends the load need not read.
 */
export async function startRepository(dataFolder: string, executable = EXECUTABLE): Promise<ServerProcess> {
  const outputFile = join(await emptyFolder(), 'log');
  return startServer({ executable, mode: 'repository', data: dataFolder, args: ['--log-level', 'info'], outputFile });
}

/** Requests as text, ready to be sent. */
export const requests = {
  get: (path: string) => `GET ${path} HTTP/1.1\r\n${HOST}\r\n`,
  page: (path: string) => `GET ${path} HTTP/1.1\r\n${HOST}Accept: text/html\r\n\r\n`,
  head: (path: string) => `HEAD ${path} HTTP/1.1\r\n${HOST}\r\n`,
  conditional: (path: string, etag: string) => `GET ${path} HTTP/1.1\r\n${HOST}If-None-Match: ${etag}\r\n\r\n`,
  basicConditional: (path: string, etag: string) =>
    `GET ${path} HTTP/1.1\r\n${HOST}${AUTHORIZATION}If-None-Match: ${etag}\r\n\r\n`,
  basic: (path: string) => `GET ${path} HTTP/1.1\r\n${HOST}${AUTHORIZATION}\r\n`,
  post: (body: string) =>
    `POST /node?_format=json HTTP/1.1\r\n${HOST}${AUTHORIZATION}Content-Type: application/json\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
};

/** The content that the measurements need. */
export interface Site {
  readonly targets: Targets;
  /** A node with 20 fields and 10 references. */
  readonly node: number;
  readonly smallNode: JsonObject;
  /** The length of the answer to `smallNode`. */
  readonly smallBytes: number;
  /** Media use terms. */
  readonly uses: readonly number[];
  /** Creates a collection with `count` members and returns its id. */
  collection(members: number): Promise<number>;
}

/** Makes through the API what the measurements need. */
export async function makeSite(url: string): Promise<Site> {
  const headers = { Authorization: basic('admin'), 'Content-Type': 'application/json' };
  const terms = async (vocabulary: string) => {
    const response = await fetch(`${url}/vocabulary/${vocabulary}?_format=json`, { headers });
    return ((await response.json()) as EntityJson[]).map((term) => term.tid[0].value as number);
  };
  const create = (path: string, body: JsonObject) => createEntity(url, path, body);
  const term = async (vid: string, name: string) =>
    (await create('taxonomy/term', { vid: [{ target_id: vid }], name: [{ value: name }] })).tid[0].value as number;
  const [model = 0] = await terms('islandora_models');
  const [resourceType = 0] = await terms('resource_types');
  const [language = 0] = await terms('language');
  const smallNode: JsonObject = {
    type: [{ target_id: 'islandora_object' }],
    title: [{ value: 'A letter' }],
    field_model: [{ target_id: model }],
  };
  const small = await create('node', smallNode);
  const targets: Targets = {
    model,
    resourceType,
    language,
    genre: await term('genre', 'Letters'),
    place: await term('geo_location', 'Basel'),
    person: await term('person', 'Writer'),
    otherPerson: await term('person', 'Reader'),
    subject: await term('subject', 'Botany'),
    otherSubject: await term('subject', 'Post'),
    collection: small.nid[0].value,
  };
  return {
    targets,
    node: (await create('node', detailedNode(targets))).nid[0].value,
    smallNode,
    smallBytes: JSON.stringify(small).length,
    uses: await terms('islandora_media_use'),
    async collection(members) {
      const collection = (await create('node', smallNode)).nid[0].value as number;
      const member = { ...detailedNode(targets), field_member_of: [{ target_id: collection }] };
      const waiting = Array.from({ length: members }, (_, index) => ({
        ...member,
        field_weight: [{ value: index + 1 }],
      }));
      while (waiting.length > 0) await Promise.all(waiting.splice(0, 32).map((body) => create('node', body)));
      return collection;
    },
  };
}

/** Creates an entity as admin. */
async function createEntity(url: string, path: string, body: JsonObject): Promise<EntityJson> {
  const headers = { Authorization: basic('admin'), 'Content-Type': 'application/json' };
  const response = await fetch(`${url}/${path}?_format=json`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (response.status !== 201) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as EntityJson;
}

/** Creates a node and returns its id. */
export async function makeNode(url: string, body: JsonObject): Promise<number> {
  return (await createEntity(url, 'node', body)).nid[0].value;
}

interface UploadedFile {
  readonly type: string;
  readonly name: string;
  readonly body: Blob | Uint8Array<ArrayBuffer>;
}

/** Uploads a file of a node as a media of a type and a use, and returns the address of the media. */
export async function upload(
  url: string,
  { node, media, use }: { readonly node: number; readonly media: string; readonly use: number },
  { type, name, body }: UploadedFile,
): Promise<string> {
  const headers = { Authorization: basic('admin'), 'Content-Type': type, 'Content-Location': `public://${name}` };
  const response = await fetch(`${url}/node/${node}/media/${media}/${use}`, { method: 'PUT', headers, body });
  if (response.status !== 201) throw new Error(`PUT of ${name}: ${response.status} ${await response.text()}`);
  return response.headers.get('location') as string;
}

/** Creates an item whose members have a thumbnail each: a PNG with these bytes. Returns its id. */
export async function itemWithThumbnails(
  url: string,
  { smallNode }: Site,
  pictures: readonly Uint8Array<ArrayBuffer>[],
): Promise<number> {
  const use = await termOf(url, 'http://pcdm.org/use#ThumbnailImage');
  const parent = await makeNode(url, smallNode);
  for (const [number, body] of pictures.entries()) {
    const node = await makeNode(url, { ...smallNode, field_member_of: [{ target_id: parent }] });
    await upload(url, { node, media: 'image', use }, { type: 'image/png', name: `thumbnail-${number}.png`, body });
  }
  return parent;
}

/** Returns the id of a default term by its URI. */
export async function termOf(url: string, uri: string): Promise<number> {
  const address = `${url}/term_from_uri?_format=json&uri=${encodeURIComponent(uri)}`;
  const [term] = (await (await fetch(address, { headers: { Authorization: basic('admin') } })).json()) as EntityJson[];
  return term?.tid[0].value;
}

const MEDIA = 10;
/** Ten more than the ten that a detailed node has. */
const MORE_SUBJECTS = 10;

/** Creates a node with 20 references and 10 media, each with a file and a use and returns its id. */
export async function linkedNode(url: string, { targets, uses }: Site): Promise<number> {
  const headers = { Authorization: basic('admin'), 'Content-Type': 'application/json' };
  const create = (path: string, body: JsonObject) => createEntity(url, path, body);
  const subjects: JsonObject[] = [];
  for (let number = 0; number < MORE_SUBJECTS; number++) {
    const term = await create('taxonomy/term', {
      vid: [{ target_id: 'subject' }],
      name: [{ value: `Subject ${number}` }],
    });
    subjects.push({ target_id: term.tid[0].value });
  }
  const node = detailedNode(targets);
  const id = (await create('node', { ...node, field_subject: [...(node.field_subject as JsonObject[]), ...subjects] }))
    .nid[0].value as number;
  for (let number = 0; number < MEDIA; number++) {
    // The same use twice would replace the file, but not in a media of another type.
    const type = number < uses.length ? 'file' : 'document';
    const response = await fetch(`${url}/node/${id}/media/${type}/${uses[number % uses.length]}`, {
      method: 'PUT',
      headers: { ...headers, 'Content-Type': 'text/plain', 'Content-Location': `public://linked/${number}.txt` },
      body: `file ${number}`,
    });
    if (response.status !== 201) throw new Error(`PUT ${number}: ${response.status} ${await response.text()}`);
  }
  return id;
}

export interface BareServer {
  readonly port: number;
  stop(): void;
}

/** Starts a baseline of `bare-content.ts` in a process of its own. */
export async function bareServer(kind: 'body' | 'file' | 'slices', path: string, bytes = 0): Promise<BareServer> {
  const command = [process.execPath, `${import.meta.dir}/bare-content.ts`, kind, path, String(bytes)];
  const child = Bun.spawn(command, { stdout: 'pipe' });
  const { value } = await child.stdout.getReader().read();
  return { port: Number(new TextDecoder().decode(value)), stop: () => child.kill() };
}

/** Runs a command that moves `bytes` bytes and returns MB (10^6 bytes) per second. */
export async function megabytesPerSecond(bytes: number, command: string[]): Promise<number> {
  const startedAt = performance.now();
  const child = Bun.spawn(command, { stdout: 'ignore', stderr: 'inherit' });
  if ((await child.exited) !== 0) throw new Error(`${command[0]} failed`);
  return bytes / 1e6 / ((performance.now() - startedAt) / 1000);
}
