import type { MediaType } from '../model/content-model.ts';
import { filePath, nodePagesPath } from '../paths.ts';
import { matchRules } from './match-rules.ts';
import type { JobSource } from './new-job.ts';
import type { NodeFacts } from './node-facts.ts';
import type { DerivativeAction, DerivativeRules } from './rules.ts';
import type { NamedTerm, TermUris } from './term-uris.ts';

/** MIME type of the files of a node's members in one. */
export const PAGES_TYPE = 'application/x-tar';

/** A media and its source file, as far as rules ask. */
export interface SourceFacts {
  readonly type: MediaType;
  /** Every term that it refers to in any field. */
  readonly termIds: readonly number[];
  /** The node that it belongs to. */
  readonly nodeId: number | undefined;
  readonly file: { readonly uri: string; readonly filemime: string };
  /** The actions that it is a derivative by: none of them follows itself. */
  readonly chain: readonly string[];
}

/** A derivative that there should be of a source. */
export interface WantedDerivative {
  readonly action: DerivativeAction;
  /** The node that it belongs to. */
  readonly node: NodeFacts;
  readonly derivativeTerm: NamedTerm;
  readonly source: JobSource;
  readonly chain: readonly string[];
}

type FindNode = (id: number) => Promise<NodeFacts | undefined>;

/** What the rules say that is to be made of a source; nodes are asked for only where they have a say. */
export type FindWanted = (source: SourceFacts, findNode: FindNode) => Promise<WantedDerivative[]>;

export interface WantedParts {
  readonly rules: DerivativeRules;
  readonly terms: TermUris;
  /** Tells the operator of a rule that comes to nothing. */
  readonly warn: (message: string) => void;
}

/** Applies rules to sources. */
export function createFindWanted({ rules, terms, warn }: WantedParts): FindWanted {
  const sourceTerms = new Set([...rules.actions.values()].map(({ sourceTerm }) => sourceTerm));
  const told = new Set<string>();

  /** The terms of an action, or undefined where one does not exist. */
  async function termsOf({ name, sourceTerm, derivativeTerm }: DerivativeAction) {
    const [source, derivative] = await Promise.all([terms.first(sourceTerm), terms.first(derivativeTerm)]);
    if (source !== undefined && derivative !== undefined) return { source, derivative };
    const lacking = source === undefined ? sourceTerm : derivativeTerm;
    // Once, and not with every upload.
    if (!told.has(lacking)) warn(`nothing is made by ${name}: no term stands for ${lacking}`);
    told.add(lacking);
    return undefined;
  }

  return async ({ type, termIds, nodeId, file, chain }, findNode) => {
    if (nodeId === undefined) return [];
    const mediaTerms = await terms.of(termIds);
    if (mediaTerms.isDisjointFrom(sourceTerms)) return [];
    const node = await findNode(nodeId);
    if (node === undefined) return [];
    const facts = { mediaType: type.name, mimeType: file.filemime, mediaTerms, nodeTerms: node.terms };
    const wanted: WantedDerivative[] = [];
    for (const action of matchRules(rules, facts)) {
      const isItself = mediaTerms.has(action.derivativeTerm) && action.ofMembers === undefined;
      if (isItself || !mediaTerms.has(action.sourceTerm) || chain.includes(action.name)) continue;
      const subject = await subjectOf(action, node, findNode);
      const known = subject && (await termsOf(action));
      if (!known) continue;
      const source: JobSource =
        action.ofMembers === undefined
          ? {
              path: filePath(file.uri),
              uri: file.uri,
              mimeType: file.filemime,
              field: type.sourceField.name,
              termId: known.source.id,
            }
          : {
              path: nodePagesPath(subject.id),
              uri: undefined,
              mimeType: PAGES_TYPE,
              field: undefined,
              termId: undefined,
            };
      wanted.push({ action, node: subject, derivativeTerm: known.derivative, source, chain });
    }
    return wanted;
  };
}

/**
 * The node that an action is about: that of the media, or the one that it is a member of. Such a one hears of members
 * by their files alone: none of those that are deleted or moved announces itself.
 */
async function subjectOf(
  { ofMembers }: DerivativeAction,
  node: NodeFacts,
  findNode: FindNode,
): Promise<NodeFacts | undefined> {
  if (ofMembers === undefined) return node;
  if (node.parentId === undefined) return undefined;
  const parent = await findNode(node.parentId);
  return parent && ofMembers.parentTerms.some((uri) => parent.terms.has(uri)) ? parent : undefined;
}
