import type { ContentFacts, LinkedType } from '../access-rule.ts';
import { type MediaNodesColumn, readMediaNodes } from './media-nodes.ts';
import { LINKED_SEPARATOR } from './surroundings-queries.ts';

/** Content beside other content, as far as links and graphs tell of it. */
export interface Neighbour extends ContentFacts {
  readonly type: LinkedType;
  readonly id: number;
  readonly label: string;
  /** The language of the label, for terms. */
  readonly language?: string | undefined;
  /** Of terms: what they stand for elsewhere, the first item of `field_external_uri`. */
  readonly externalUri: string | undefined;
  /** Of terms: the first address of `field_authority_link`. */
  readonly authorityUri: string | undefined;
}

/** The file that a media wraps. */
export interface SourceFile {
  readonly id: number;
  readonly ownerId: number;
  readonly uri: string;
  readonly filemime: string;
}

export interface AttachedMedia extends Neighbour {
  /** The terms of `field_media_use`, in their order. */
  readonly uses: readonly Neighbour[];
  readonly file: SourceFile | undefined;
}

/** What one entity refers to and, of a node, the media that refer to it: only what the caller may view. */
export interface Surroundings {
  /** Targets of references and typed relations, in the order of the fields and their items; media among them with their files. */
  readonly targets: readonly { readonly field: string; readonly target: Neighbour | AttachedMedia }[];
  /** Of a node, by weight and then by id; the first of them if there are very many. */
  readonly media: readonly AttachedMedia[];
  readonly hasMoreMedia: boolean;
  /** Of a media whose file the caller may fetch. */
  readonly file: SourceFile | undefined;
}

/** What stands around content where nothing needs to be known of it. */
export const NOTHING_AROUND: Surroundings = { targets: [], media: [], hasMoreMedia: false, file: undefined };

/** The JSON rows of `surroundings-queries.ts`. */
export type FactsRow = readonly [id: number, bundle: string, ownerId: number, status: number, label: string];
export type TermRow = readonly [
  ...FactsRow,
  external: string | null,
  authority: string | null,
  language: string | null,
];
export type FileRow = readonly [id: number, ownerId: number, uri: string, filemime: string];
/** `linked` as the column is written: the ids of the uses, and if there is a file its id, owner, address and type. */
type MediaRow = readonly [...FactsRow, linked: string, nodes?: MediaNodesColumn | string];

/** Returns a node or media of a row. Both have no external or authority URI. */
export function toNeighbour(
  type: 'node' | 'media',
  [id, bundle, ownerId, status, label]: FactsRow | MediaRow,
): Neighbour {
  return { type, id, bundle, ownerId, status: status === 1, label, externalUri: undefined, authorityUri: undefined };
}

/** Returns a media of a row. `node` is the node through which it was found, if the row does not hold its nodes. */
function toMediaNeighbour(row: MediaRow, node: ContentFacts | undefined): Neighbour {
  const [, , , , , , nodes] = row;
  const found = node && { nodes: [node], hasLostNode: false };
  return { ...toNeighbour('media', row), belongsTo: nodes === undefined ? found : readMediaNodes(nodes) };
}

/** A term as a query returns it. */
interface TermFields extends Omit<ContentFacts, 'hosts' | 'belongsTo'> {
  readonly id: number;
  readonly label: string;
  readonly external: string | null;
  readonly authority: string | null;
  readonly language: string | null;
}

export function toTerm({ external, authority, language, ...facts }: TermFields): Neighbour {
  return {
    type: 'taxonomy_term',
    ...facts,
    language: language ?? undefined,
    externalUri: external ?? undefined,
    authorityUri: authority ?? undefined,
  };
}

/** Returns a term of a JSON row. */
export function termIn([id, bundle, ownerId, status, label, external, authority, language]: TermRow): Neighbour {
  return toTerm({ id, bundle, ownerId, status: status === 1, label, external, authority, language });
}

export function toFile([id, ownerId, uri, filemime]: FileRow): SourceFile {
  return { id, ownerId, uri, filemime };
}

/** What `linked` tells of a media. */
function readLinked(linked: string): { useIds: readonly number[]; file: SourceFile | undefined } {
  const [uses = '', id, ownerId, uri, filemime] = linked.split(LINKED_SEPARATOR);
  const useIds = uses === '' ? [] : uses.split(' ').map(Number);
  if (uri === undefined || filemime === undefined) return { useIds, file: undefined };
  return { useIds, file: toFile([Number(id), Number(ownerId), uri, filemime]) };
}

/** A media of a row with its uses and its file. */
export interface LinkedMedia {
  readonly media: MediaRow;
  readonly useIds: readonly number[];
  readonly file: SourceFile | undefined;
}

/** Returns the rows of a JSON list. */
export function listIn<Row>(text: string | undefined): Row[] {
  return text === undefined ? [] : (JSON.parse(text) as Row[]);
}

/** Returns the media of a JSON list. */
export function linkedMedia(text: string | undefined): LinkedMedia[] {
  return listIn<MediaRow>(text).map((media) => ({ media, ...readLinked(media[5]) }));
}

/**
 * Returns each media once, even if it names its node twice. Callers who may view a media may read its file. `node` is
 * the node through which the media were found.
 */
export function attachedMedia(
  linked: readonly LinkedMedia[],
  node: ContentFacts | undefined,
  findTerm: (id: number) => Neighbour | undefined,
  mayView: (neighbour: Neighbour) => boolean,
): Map<number, AttachedMedia> {
  const found = new Map<number, AttachedMedia>();
  for (const { media, useIds, file } of linked) {
    const uses: Neighbour[] = [];
    for (const id of useIds) {
      const use = findTerm(id);
      if (use !== undefined && mayView(use)) uses.push(use);
    }
    const neighbour = toMediaNeighbour(media, node);
    if (mayView(neighbour)) found.set(neighbour.id, { ...neighbour, uses, file });
  }
  return found;
}
