import type { ContentModel } from '../../../model/content-model.ts';
import type { ItemModel } from '../../../model/item-models.ts';
import type { ContentFacts, LinkedType } from '../../access-rule.ts';
import { type MediaNodesColumn, readMediaNodes } from '../media-nodes.ts';
import { LINKED_SEPARATOR } from './surroundings-queries.ts';

/** Content that links or graphs of other content refer to. */
export interface Neighbour extends ContentFacts {
  readonly type: LinkedType;
  readonly id: number;
  readonly label: string;
  /** The language of the label, for terms. */
  readonly language?: string | undefined;
  /** The first URI of a term in `field_external_uri`. */
  readonly externalUri: string | undefined;
  /** The first address of a term in `field_authority_link`. */
  readonly authorityUri: string | undefined;
  /** True for a term of a preview that does not exist yet: it has no page. */
  readonly isNew?: boolean;
}

/** The source file of a media. */
export interface SourceFile {
  readonly id: number;
  readonly ownerId: number;
  readonly uri: string;
  readonly filemime: string;
}

export interface AttachedMedia extends Neighbour {
  /** The terms of `field_media_use`, in order. */
  readonly uses: readonly Neighbour[];
  readonly file: SourceFile | undefined;
}

/** The targets of an entity and the media of a node, as far as the caller may view them. */
export interface Surroundings {
  /** The targets in the order of the fields and their items; media have their files. */
  readonly targets: readonly { readonly field: string; readonly target: Neighbour | AttachedMedia }[];
  /** The media of a node, or the first of them, by weight and then by id. */
  readonly media: readonly AttachedMedia[];
  readonly hasMoreMedia: boolean;
  /** The source file of a media, if the caller may read it. */
  readonly file: SourceFile | undefined;
}

/** Empty surroundings. */
export const NO_SURROUNDINGS: Surroundings = { targets: [], media: [], hasMoreMedia: false, file: undefined };

/** The JSON rows of `surroundings-queries.ts`. */
type LabelledRow = readonly [id: number, bundle: string, ownerId: number, status: number, label: string];
export type FactsRow = readonly [...LabelledRow, accessSet: number];
export type TermRow = readonly [
  ...LabelledRow,
  external: string | null,
  authority: string | null,
  language: string | null,
];
export type FileRow = readonly [id: number, ownerId: number, uri: string, filemime: string];
/** `linked` has the ids of the uses, and the id, owner, address and type of a file. */
type MediaRow = readonly [...FactsRow, linked: string, nodes?: MediaNodesColumn | string];

/** Returns a node or media of a row. Both have no external or authority URI. */
export function toNeighbour(
  type: 'node' | 'media',
  [id, bundle, ownerId, status, label, accessSet]: FactsRow | MediaRow,
): Neighbour {
  const facts = { bundle, ownerId, status: status === 1, accessSet };
  return { type, id, ...facts, label, externalUri: undefined, authorityUri: undefined };
}

/** Returns a media of a row. `node` is the node through which it was found, if the row does not hold its nodes. */
function toMediaNeighbour({ media, useIds }: LinkedMedia, node: ContentFacts | undefined): Neighbour {
  const [, , , , , , , nodes] = media;
  const belongsTo = node && { nodes: [node], hasLostNode: false };
  const facts = { useIds, belongsTo: nodes === undefined ? belongsTo : readMediaNodes(nodes) };
  return { ...toNeighbour('media', media), ...facts };
}

/** A term as a query returns it. */
interface TermFields extends Omit<ContentFacts, 'hosts' | 'belongsTo' | 'accessSet'> {
  readonly id: number;
  readonly label: string;
  readonly external: string | null;
  readonly authority: string | null;
  readonly language: string | null;
}

export function toTerm({ external, authority, language, ...facts }: TermFields): Neighbour {
  return {
    type: 'taxonomy_term',
    accessSet: 0,
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

/** Parses `linked`. */
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
  return listIn<MediaRow>(text).map((media) => ({ media, ...readLinked(media[6]) }));
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
  const attached = new Map<number, AttachedMedia>();
  for (const each of linked) {
    const uses: Neighbour[] = [];
    for (const id of each.useIds) {
      const use = findTerm(id);
      if (use !== undefined && mayView(use)) uses.push(use);
    }
    const neighbour = toMediaNeighbour(each, node);
    if (mayView(neighbour)) attached.set(neighbour.id, { ...neighbour, uses, file: each.file });
  }
  return attached;
}

/** Returns the model of a node: that of the term in `field_model`. */
export function modelOf(
  { models }: Pick<ContentModel, 'models'>,
  { targets }: Pick<Surroundings, 'targets'>,
): ItemModel {
  return models.of(targets.find(({ field }) => field === 'field_model')?.target.externalUri);
}
