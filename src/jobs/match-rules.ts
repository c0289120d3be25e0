import { matchesMediaType } from '../base/media-type.ts';
import type { Condition, DerivativeAction, DerivativeContext, DerivativeRules, MediaFacts } from './rules.ts';

/**
 * The actions to take for a media: those of every enabled context that holds, each once and in the order of the
 * contexts, as far as they take files of its type (spec: rest-behaviour, 9.1). Whether the node of a `ofMembers`
 * action fits is left to the caller.
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
