import { createRandom, type Random } from './random.ts';
import type { ServerProcess } from './server-process.ts';
import { MODEL } from './site-builder.ts';
import { ADMIN_PASSWORD, type EntityJson } from './test-repository.ts';

/** The visible state of an entity; null if it does not exist. */
export type NodeState = { label: string; note: string; revisions: number; bytes: number; sha256: string } | null;

/** Something that a client has made or tried to make, and the states in which it may be found after a crash. */
export interface TrackedNode {
  readonly kind: 'node' | 'media' | 'taxonomy_term' | 'file';
  readonly uuid: string;
  /** Of files, whose UUID the server chooses, and of media that a PUT makes: how their file can be found. */
  readonly filename: string | undefined;
  id: number | undefined;
  /** The upload that a media makes its own: what becomes of its bytes is then seen at the media. */
  readonly upload?: TrackedNode;
  /** One, once an answer has come; before that, the state before and the state after. */
  may: NodeState[];
}

export interface Surroundings {
  readonly modelTerm: number;
  readonly uses: readonly number[];
  readonly collection: number;
}

/** An answer that no healthy repository gives here. */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer';
}

/** Waits for all clients, and returns why some ended: a test shows that with the log of the server that it has killed. */
export async function failuresOf(works: readonly Promise<void>[]): Promise<unknown[]> {
  const ends = await Promise.allSettled(works);
  return ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
}

/** Returns clients that change different entities, each with choices of its own. */
export async function createLoadClients(
  { build }: ServerProcess,
  random: Random,
  count: number,
): Promise<LoadClient[]> {
  const names = ['OriginalFile', 'ServiceFile', 'ThumbnailImage', 'IntermediateFile'];
  const surroundings = {
    modelTerm: await build.termId(MODEL.image),
    uses: await Promise.all(names.map((name) => build.termId(`http://pcdm.org/use#${name}`))),
    collection: await build.node('image', 'Collection'),
  };
  return Array.from({ length: count }, (_, index) => {
    const own = createRandom(random.below(2 ** 31));
    return new LoadClient(`c${index}`, own, surroundings);
  });
}

/** Returns the number of unfinished uploads that a server has removed. */
export function removedBy({ log }: ServerProcess): number {
  return log.reduce((sum, { removed = 0 }) => sum + Number(removed), 0);
}

const MAX_BYTES = 200_000;
const NOTHING = { bytes: 0, sha256: '' };
const json = { 'Content-Type': 'application/json' };

/** A user of the repository, the only one who changes its entities. */
export class LoadClient {
  readonly tracked: TrackedNode[] = [];
  readonly cookies: string[] = [];
  /** The entities that the current round has changed. */
  readonly touched = new Set<TrackedNode>();
  answered = 0;
  #count = 0;

  constructor(
    readonly name: string,
    readonly random: Random,
    readonly surroundings: Surroundings,
  ) {}

  /** Works until the server is gone. Throws UnexpectedAnswer. */
  async work(server: ServerProcess): Promise<void> {
    for (;;) {
      try {
        await this.#step(server);
      } catch (error) {
        if (error instanceof UnexpectedAnswer) throw error;
        return;
      }
    }
  }

  async #step(server: ServerProcess): Promise<void> {
    const at = this.random.below(100);
    const node = this.#some('node');
    if (at < 24 || node === undefined) return this.#createNode(server);
    if (at < 42) return this.#patchNode(server, node);
    if (at < 48) return this.#remove(server, node, `/node/${node.id}`);
    if (at < 64) return this.#putNew(server, node);
    if (at < 76) return this.#putAgain(server);
    if (at < 86) return this.#uploadAndAttach(server, node);
    if (at < 91) return this.#createTerm(server);
    if (at < 94) return this.#removeSome(server, 'taxonomy_term', '/taxonomy/term/');
    if (at < 97) return this.#removeSome(server, 'media', '/media/');
    return this.#signIn(server);
  }

  async #createNode(server: ServerProcess): Promise<void> {
    const label = this.#token('node');
    const node = this.#track('node', { label, note: label, revisions: 1, ...NOTHING });
    const term = this.#some('taxonomy_term');
    const body = {
      uuid: [{ value: node.uuid }],
      type: [{ target_id: 'islandora_object' }],
      title: [{ value: label }],
      field_extent: [{ value: label }],
      field_model: [{ target_id: this.surroundings.modelTerm }],
      field_member_of: [{ target_id: this.surroundings.collection }],
      ...(term?.id !== undefined && { field_subject: [{ target_id: term.id }] }),
    };
    const response = await this.#send(server, 'POST', '/node?_format=json', JSON.stringify(body), json, 201);
    this.#settle(node, idIn(response));
  }

  async #patchNode(server: ServerProcess, node: TrackedNode): Promise<void> {
    const [before] = node.may as [NonNullable<NodeState>];
    const label = this.#token('node');
    this.#expect(node, { ...before, label, note: label, revisions: before.revisions + 1 });
    const body = {
      type: [{ target_id: 'islandora_object' }],
      title: [{ value: label }],
      field_extent: [{ value: label }],
    };
    await this.#send(server, 'PATCH', `/node/${node.id}?_format=json`, JSON.stringify(body), json, 200);
    this.#settle(node);
  }

  async #remove(server: ServerProcess, entity: TrackedNode, path: string): Promise<void> {
    this.#expect(entity, null);
    await this.#send(server, 'DELETE', `${path}?_format=json`, null, {}, 204);
    this.#settle(entity);
  }

  async #removeSome(server: ServerProcess, kind: TrackedNode['kind'], path: string): Promise<void> {
    const entity = this.#some(kind);
    if (entity) await this.#remove(server, entity, `${path}${entity.id}`);
  }

  /** The media type `file` with a use of its own each time would need endless uses: nodes get one or none. */
  async #putNew(server: ServerProcess, node: TrackedNode): Promise<void> {
    const filename = `${this.#token('put')}.txt`;
    const bytes = this.#bytes();
    const scheme = this.random.pick(['public', 'private', 'fedora']);
    const use = this.random.pick(this.surroundings.uses);
    const key = `${node.uuid} ${use}`;
    if (this.#taken.has(key)) return;
    this.#taken.add(key);
    const media = this.#track('media', { label: filename, note: '', revisions: 1, ...bytes.facts }, filename);
    const headers = { 'Content-Type': 'text/plain', 'Content-Location': `${scheme}://kill/${filename}` };
    const response = await this.#send(server, 'PUT', `/node/${node.id}/media/file/${use}`, bytes.content, headers, 201);
    this.#settle(media, idIn(response));
  }

  readonly #taken = new Set<string>();

  async #putAgain(server: ServerProcess): Promise<void> {
    const media = this.#some('media');
    if (media === undefined) return;
    const [before] = media.may as [NonNullable<NodeState>];
    const bytes = this.#bytes();
    this.#expect(media, { ...before, revisions: before.revisions + 1, ...bytes.facts });
    const headers = { 'Content-Type': 'text/plain' };
    await this.#send(server, 'PUT', `/media/${media.id}/source`, bytes.content, headers, 204);
    this.#settle(media);
  }

  async #uploadAndAttach(server: ServerProcess, node: TrackedNode): Promise<void> {
    const filename = `${this.#token('upload')}.txt`;
    const bytes = this.#bytes();
    const file = this.#track('file', { label: filename, note: '', revisions: 0, ...bytes.facts }, filename);
    const response = await this.#send(
      server,
      'POST',
      '/file/upload/media/file/field_media_file?_format=json',
      bytes.content,
      {
        'Content-Type': 'application/octet-stream',
        'Content-Disposition': `file; filename="${filename}"`,
      },
      201,
    );
    const { fid } = (await response.json()) as EntityJson;
    this.#settle(file, fid[0].value);
    const media = this.#track('media', { label: filename, note: '', revisions: 1, ...bytes.facts }, undefined, file);
    const body = {
      uuid: [{ value: media.uuid }],
      bundle: [{ target_id: 'file' }],
      name: [{ value: filename }],
      field_media_file: [{ target_id: file.id }],
      field_media_of: [{ target_id: node.id }],
    };
    const made = await this.#send(server, 'POST', '/entity/media?_format=json', JSON.stringify(body), json, 201);
    this.#settle(media, idIn(made));
    this.forget(file);
  }

  forget(entity: TrackedNode): void {
    const at = this.tracked.indexOf(entity);
    if (at >= 0) this.tracked.splice(at, 1);
    this.touched.delete(entity);
  }

  async #createTerm(server: ServerProcess): Promise<void> {
    const label = this.#token('term');
    const term = this.#track('taxonomy_term', { label, note: '', revisions: 0, ...NOTHING });
    const body = { uuid: [{ value: term.uuid }], vid: [{ target_id: 'subject' }], name: [{ value: label }] };
    const response = await this.#send(server, 'POST', '/taxonomy/term?_format=json', JSON.stringify(body), json, 201);
    this.#settle(term, idIn(response));
  }

  async #signIn(server: ServerProcess): Promise<void> {
    const body = JSON.stringify({ name: 'admin', pass: ADMIN_PASSWORD });
    const headers = { ...json, Cookie: 'none=1' };
    const response = await this.#send(server, 'POST', '/user/login?_format=json', body, headers, 200);
    this.cookies.push((response.headers.get('set-cookie') ?? '').split(';')[0] as string);
  }

  async #send(
    server: ServerProcess,
    method: string,
    path: string,
    body: Bun.BodyInit | null,
    headers: Record<string, string>,
    expected: number,
  ): Promise<Response> {
    const response = await server.fetch(path, {
      method,
      body: body as NonNullable<RequestInit['body']> | null,
      headers,
    });
    if (response.status !== expected)
      throw new UnexpectedAnswer(`${method} ${path}: ${response.status} ${await response.text().catch(String)}`);
    this.answered += 1;
    return response;
  }

  #some(kind: TrackedNode['kind']): TrackedNode | undefined {
    const living = this.tracked.filter((each) => each.kind === kind && each.may.length === 1 && each.may[0] && each.id);
    return living.length === 0 ? undefined : this.random.pick(living.slice(-12));
  }

  #track(kind: TrackedNode['kind'], after: NodeState, filename?: string, upload?: TrackedNode): TrackedNode {
    const may = [null, after];
    const entity: TrackedNode = {
      kind,
      uuid: Bun.randomUUIDv7(),
      filename,
      id: undefined,
      may,
      ...(upload && { upload }),
    };
    this.tracked.push(entity);
    this.touched.add(entity);
    return entity;
  }

  #expect(entity: TrackedNode, after: NodeState): void {
    entity.may.push(after);
    this.touched.add(entity);
  }

  #settle(entity: TrackedNode, id = entity.id): void {
    entity.id = id;
    entity.may = entity.may.slice(-1);
  }

  #bytes() {
    const content = this.random.bytes(1 + this.random.below(this.random.below(4) === 0 ? MAX_BYTES : 3_000));
    const sha256 = new Bun.CryptoHasher('sha256').update(content).digest('hex');
    return { content, facts: { bytes: content.byteLength, sha256 } };
  }

  #token(prefix: string): string {
    this.#count += 1;
    return `${prefix}-${this.name}-${this.#count}`;
  }
}

/** The id at the end of the Location header: it comes with the status, even where the body is cut off. */
function idIn(response: Response): number {
  const id = Number(/\/(\d+)$/.exec(response.headers.get('location') ?? '')?.[1]);
  if (Number.isInteger(id)) return id;
  throw new UnexpectedAnswer(`a ${response.status} without Location`);
}
