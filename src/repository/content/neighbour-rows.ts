import type { ContentFacts } from '../access-rule.ts';
import { type MediaNodesColumn, readMediaNodes } from './media-nodes.ts';
import type { Neighbour, SourceFile } from './surroundings.ts';
import { LINKED_SEPARATOR } from './surroundings-queries.ts';

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
export type MediaRow = readonly [...FactsRow, linked: string, nodes?: MediaNodesColumn | string];

/** Returns a node or media of a row. Both have no external or authority URI. */
export function toNeighbour(
  type: 'node' | 'media',
  [id, bundle, ownerId, status, label]: FactsRow | MediaRow,
): Neighbour {
  return { type, id, bundle, ownerId, status: status === 1, label, externalUri: undefined, authorityUri: undefined };
}

/** Returns a media of a row. `node` is the node through which it was found, if the row does not hold its nodes. */
export function toMediaNeighbour(row: MediaRow, node: ContentFacts | undefined): Neighbour {
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
export function readLinked(linked: string): { useIds: readonly number[]; file: SourceFile | undefined } {
  const [uses = '', id, ownerId, uri, filemime] = linked.split(LINKED_SEPARATOR);
  const useIds = uses === '' ? [] : uses.split(' ').map(Number);
  if (uri === undefined || filemime === undefined) return { useIds, file: undefined };
  return { useIds, file: toFile([Number(id), Number(ownerId), uri, filemime]) };
}
