import { matchesMediaType } from '../base/media-type.ts';
import type { MediaType } from '../model/content-model.ts';
import { filePath, pathOf } from '../paths.ts';
import type { JobSource } from './new-job.ts';
import type { NodeFacts } from './node-facts.ts';
import type { Condition, DerivativeAction, DerivativeContext, DerivativeRules, MediaFacts } from './rules.ts';
import type { NamedTerm, TermUris } from './term-uris.ts';

/** The MIME type of the archive of a node's pages. */
export const PAGES_TYPE = 'application/x-tar';

/** The facts about a media and its source file that rules use. */
export interface SourceFacts {
  readonly type: MediaType;
  /** The ids of all terms to which it refers in any field. */
  readonly termIds: readonly number[];
  /** The node that it belongs to. */
  readonly nodeId: number | undefined;
  readonly file: { readonly uri: string; readonly filemime: string };
  /** The actions that created it, one from the other: none of them runs on its own result. */
  readonly chain: readonly string[];
}

/** A derivative that a source should have. */
export interface RequiredDerivative {
  readonly action: DerivativeAction;
  /** The node that it belongs to. */
  readonly node: NodeFacts;
  readonly derivativeTerm: NamedTerm;
  readonly source: JobSource;
  readonly chain: readonly string[];
}

type FindNode = (id: number) => Promise<NodeFacts | undefined>;

/** Returns the derivatives that a source should have by the rules. Reads nodes only if the rules need them. */
export type FindRequired = (source: SourceFacts, findNode: FindNode) => Promise<RequiredDerivative[]>;

interface RuleParts {
  readonly rules: DerivativeRules;
  readonly terms: TermUris;
  /** Warns the administrator of a rule without effect. */
  readonly warn: (message: string) => void;
}

/** Creates the function that applies rules to sources. */
export function createFindRequired({ rules, terms, warn }: RuleParts): FindRequired {
  const sourceTerms = new Set([...rules.actions.values()].map(({ sourceTerm }) => sourceTerm));
  const warned = new Set<string>();

  /** Returns the terms of an action; undefined if one does not exist. */
  async function termsOf({ name, sourceTerm, derivativeTerm }: DerivativeAction) {
    const [source, derivative] = await Promise.all([terms.first(sourceTerm), terms.first(derivativeTerm)]);
    if (source !== undefined && derivative !== undefined) return { source, derivative };
    const missingTerm = source === undefined ? sourceTerm : derivativeTerm;
    // Warns once, not with every upload.
    if (!warned.has(missingTerm))
      warn(`the action ${name} makes no derivatives: no taxonomy term has the URI ${missingTerm}`);
    warned.add(missingTerm);
    return undefined;
  }

  return async ({ type, termIds, nodeId, file, chain }, findNode) => {
    if (nodeId === undefined) return [];
    const mediaTerms = await terms.of(termIds);
    if (mediaTerms.isDisjointFrom(sourceTerms)) return [];
    const node = await findNode(nodeId);
    if (node === undefined) return [];
    const facts = { mediaType: type.name, mimeType: file.filemime, mediaTerms, nodeTerms: node.terms };
    const wanted: RequiredDerivative[] = [];
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
              path: pathOf('nodePages', { node: subject.id }),
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
 * Returns the node of an action: that of the media, or its parent. A parent follows the files of its members only: a
 * deleted or moved member announces no change.
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

/**
 * Returns the actions for a media: those of every enabled context whose conditions are met, once each, in the order of the
 * contexts, if they accept its file type (spec: rest-behaviour, 9.1). The caller checks the node of an `ofMembers` action.
 */
export function matchRules(rules: DerivativeRules, facts: MediaFacts): DerivativeAction[] {
  const matched = new Set<DerivativeAction>();
  for (const context of rules.contexts) {
    if (!context.isEnabled || !holds(context, facts)) continue;
    for (const name of context.actions) {
      const action = rules.actions.get(name);
      if (action !== undefined && isCovered(action.sourceMimeTypes, facts.mimeType)) matched.add(action);
    }
  }
  return [...matched];
}

function holds({ conditions, requiresAll }: DerivativeContext, facts: MediaFacts): boolean {
  const isTrue = (condition: Condition) => isMet(condition, facts);
  return requiresAll ? conditions.every(isTrue) : conditions.some(isTrue);
}

function isMet({ condition, values, logic }: Condition, facts: MediaFacts): boolean {
  const isTrue = TESTS[condition];
  return logic === 'and' ? values.every((value) => isTrue(facts, value)) : values.some((value) => isTrue(facts, value));
}

const TESTS: Readonly<Record<Condition['condition'], (facts: MediaFacts, value: string) => boolean>> = {
  media_has_term: ({ mediaTerms }, uri) => mediaTerms.has(uri),
  parent_node_has_term: ({ nodeTerms }, uri) => nodeTerms.has(uri),
  media_has_type: ({ mediaType }, name) => mediaType === name,
  media_has_mimetype: ({ mimeType }, pattern) => matchesMediaType(pattern, mimeType),
};

function isCovered(patterns: readonly string[], mimeType: string): boolean {
  return patterns.some((pattern) => matchesMediaType(pattern, mimeType));
}
