import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { ContentType } from '../../repository/access-rule.ts';
import type { ContentKinds } from '../../repository/content/kinds.ts';
import type { Package, PackageFile, PackageVersion } from '../files/package.ts';
import { firstValue, textsOf } from './document-facts.ts';
import { documentPath, isUuid, NODE_PATH, type Place, placeOf } from './package-layout.ts';
import type { PackageProblem } from './package-problem.ts';

const NO_NODE =
  'The package has no node; it must have one. A bag of plain files becomes a table of items: repo import --bag BAG --plan items.csv';

/** A node, media, term or paragraph of a package with its revisions, oldest first. */
export interface PackedEntity {
  readonly type: ContentType;
  readonly uuid: string;
  readonly path: string;
  readonly revisions: readonly [JsonObject, ...JsonObject[]];
}

/** A file of a package: its record and its bytes. */
export interface PackedBytes {
  readonly uuid: string;
  readonly path: string;
  readonly document: JsonObject;
  /** Undefined if the bytes are missing. */
  readonly content: { readonly path: string; readonly file: PackageFile } | undefined;
}

/** The parsed contents of a package, not yet checked against the repository. */
export interface PackageContents {
  readonly node: PackedEntity | undefined;
  /**
   * The entities of the last version, and the terms of earlier versions that their revisions refer to: terms, then
   * paragraphs, the node, and media.
   */
  readonly entities: readonly PackedEntity[];
  /** The files of all versions, by UUID. */
  readonly files: ReadonlyMap<string, PackedBytes>;
  /** The names of users, by UUID. */
  readonly users: ReadonlyMap<string, string>;
  readonly problems: readonly PackageProblem[];
}

const ORDER: readonly ContentType[] = ['taxonomy_term', 'paragraph', 'node', 'media'];

/** Reads the JSON of a package, each file once. Invalid contents are problems. Throws only if the package is unreadable. */
export async function readPackage(kinds: ContentKinds, { identifier, versions }: Package): Promise<PackageContents> {
  const reading = new Reading(kinds);
  for (const version of versions) await reading.add(version);
  return reading.end(identifier, versions.at(-1)?.files ?? new Map());
}

type DocumentPlace = Exclude<Place, { kind: 'readme' } | { kind: 'bytes' }>;

class Reading {
  readonly #kinds: ContentKinds;
  readonly #problems: PackageProblem[] = [];
  readonly #seen = new Map<string, PackageFile>();
  readonly #entities = new Map<string, { type: ContentType; revisions: Map<string, JsonObject> }>();
  readonly #documents = new Map<string, JsonObject>();
  readonly #bytes = new Map<string, { path: string; file: PackageFile }>();
  readonly #users = new Map<string, string>();

  constructor(kinds: ContentKinds) {
    this.#kinds = kinds;
  }

  async add({ files }: PackageVersion): Promise<void> {
    const uuids = new Set<string>();
    for (const [path, file] of files) {
      const place = placeOf(path);
      if (place?.kind === 'bytes') {
        if (uuids.has(place.uuid)) this.#problem(path, 'The package has bytes of this file under another name, too.');
        uuids.add(place.uuid);
      }
      if (isSame(this.#seen.get(path), file)) continue;
      this.#seen.set(path, file);
      if (place === undefined) this.#problem(path, 'The package of a node must not have this file.');
      else if (place.kind === 'bytes') this.#bytes.set(place.uuid, { path, file });
      else if (place.kind !== 'readme') await this.#addDocument(path, place, file);
    }
  }

  async #addDocument(path: string, place: DocumentPlace, file: PackageFile): Promise<void> {
    const read = await readDocument(file);
    if ('problem' in read) return this.#problem(path, read.problem);
    const { document } = read;
    const uuid = firstValue(document, 'uuid');
    if (!isUuid(uuid)) return this.#problem(path, 'It has no UUID: uuid.0.value must be one, in lower case.');
    if (place.kind !== 'node' && uuid !== place.uuid)
      return this.#problem(path, `Its UUID ${uuid} differs from the one in its name.`);
    if (place.kind === 'file') this.#documents.set(uuid, document);
    else if (place.kind === 'user') this.#users.set(uuid, String(firstValue(document, 'name') ?? ''));
    else this.#addRevision(path, place.kind, document);
  }

  #addRevision(path: string, type: ContentType, document: JsonObject): void {
    const entity = this.#entities.get(path) ?? { type, revisions: new Map() };
    this.#entities.set(path, entity);
    const { revisionId, revisionCreated } = this.#kinds[type].names;
    const [id, created] = [firstValue(document, revisionId), firstValue(document, revisionCreated)];
    const key =
      type === 'taxonomy_term' ? '' : JSON.stringify(id === undefined ? entity.revisions.size : [id, created]);
    // The last document of a revision takes precedence, and moves to the end: the current revision is the last. Terms
    // have one revision, because packages hold no history of terms.
    entity.revisions.delete(key);
    entity.revisions.set(key, document);
  }

  end(identifier: string, last: ReadonlyMap<string, PackageFile>): PackageContents {
    const entities = this.#keptEntities(last);
    const node = entities.find(({ type }) => type === 'node');
    if (node === undefined && !this.#problems.some(({ path }) => path === NODE_PATH)) this.#problem(NODE_PATH, NO_NODE);
    if (node) this.#checkIdentity(identifier, node);
    this.#checkUuids(entities);
    const files = [...this.#documents].map(([uuid, document]): [string, PackedBytes] => [
      uuid,
      { uuid, path: documentPath('file', uuid), document, content: this.#bytes.get(uuid) },
    ]);
    for (const [uuid, { path }] of this.#bytes)
      if (!this.#documents.has(uuid)) this.#problem(path, `The package has no ${documentPath('file', uuid)} for it.`);
    const referred = new Set(entities.flatMap((entity) => [...referredBy(entity)]));
    for (const [uuid, { path }] of files)
      if (last.has(path) && !referred.has(uuid))
        this.#problem(path, 'Nothing in the package refers to it, so that it would be lost.');
    return { node, entities, files: new Map(files), users: this.#users, problems: this.#problems };
  }

  #keptEntities(last: ReadonlyMap<string, PackageFile>): PackedEntity[] {
    const all = [...this.#entities].map(([path, { type, revisions }]): PackedEntity => {
      const whole = [...revisions.values()] as [JsonObject, ...JsonObject[]];
      return { type, path, uuid: String(firstValue(whole[0], 'uuid')), revisions: whole };
    });
    const kept = new Set(all.filter(({ path }) => last.has(path)));
    const earlierTerms = all.filter((entity) => entity.type === 'taxonomy_term' && !kept.has(entity));
    const termNamed = new Map(earlierTerms.map((term) => [term.uuid, term]));
    // The loop also visits the terms that it adds.
    for (const entity of kept)
      for (const uuid of termNamed.size > 0 ? referredBy(entity) : []) {
        const term = termNamed.get(uuid);
        if (term) kept.add(term);
      }
    return [...kept].sort((a, b) => ORDER.indexOf(a.type) - ORDER.indexOf(b.type));
  }

  #checkIdentity(identifier: string, { uuid, revisions }: PackedEntity): void {
    if (revisions.some((document) => firstValue(document, 'uuid') !== uuid))
      this.#problem(NODE_PATH, 'Its versions have different UUIDs; they must be versions of one node.');
    if (identifier.startsWith('urn:uuid:') && identifier !== `urn:uuid:${uuid}`)
      this.#problem(NODE_PATH, `Its UUID ${uuid} differs from the identifier of the package, ${identifier}.`);
  }

  /** Adds a problem for each UUID of more than one entity. */
  #checkUuids(entities: readonly PackedEntity[]): void {
    const owners = new Map<string, string>();
    const paths = [...entities.map(({ uuid, path }) => [uuid, path] as const)];
    for (const uuid of this.#documents.keys()) paths.push([uuid, documentPath('file', uuid)]);
    for (const [uuid, path] of paths) {
      const other = owners.get(uuid);
      if (other !== undefined) this.#problem(path, `${other} has the same UUID, ${uuid}.`);
      owners.set(uuid, path);
    }
  }

  #problem(path: string, message: string): void {
    this.#problems.push({ path, message });
  }
}

function isSame(one: PackageFile | undefined, other: PackageFile): boolean {
  if (one === undefined) return false;
  return one === other || (one.sha256 !== undefined && one.sha256 === other.sha256);
}

/** Returns the UUIDs that any revision of an entity refers to. */
export function referredBy({ revisions }: PackedEntity): Set<string> {
  return new Set(revisions.flatMap((document) => Object.keys(document).flatMap((name) => uuidsIn(document, name))));
}

function uuidsIn(document: JsonObject, name: string): string[] {
  return textsOf(document, name, 'target_uuid').filter(isUuid);
}

/** Maximum size of a document: the longest texts of a node or media, raw and processed, and room for other fields. */
const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024;

/** A document of a package, or the reason why it cannot be read. */
type ReadDocument = { readonly document: JsonObject } | { readonly problem: string };

/** Reads a JSON object from a file of a package, up to the maximum size of a document. */
async function readDocument(file: PackageFile): Promise<ReadDocument> {
  const tooLong = { problem: `It is longer than ${MAX_DOCUMENT_BYTES} bytes, the maximum for the JSON of an entity.` };
  if (file.bytes > MAX_DOCUMENT_BYTES) return tooLong;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of file.open()) {
    bytes += chunk.byteLength;
    if (bytes > MAX_DOCUMENT_BYTES) return tooLong;
    chunks.push(chunk);
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
    const value = JSON.parse(text) as JsonValue;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { document: value };
    return { problem: 'It must be a JSON object that holds the fields of the entity.' };
  } catch (error) {
    // Besides syntax errors, this catches a document that is nested too deep to parse.
    const reason = error instanceof Error ? error.message : String(error);
    return { problem: `It is no JSON in UTF-8: ${reason.replace(/\.$/, '')}.` };
  }
}
