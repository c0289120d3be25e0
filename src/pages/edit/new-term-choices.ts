import type { FieldDefinition, Vocabulary } from '../../model/content-model.ts';
import type { Call } from '../../web/call.ts';
import { bundlesOf } from './bundles-of-target.ts';

/** A vocabulary in which a form may create a term. */
export interface NewTermChoice {
  readonly name: string;
  /** The word for one of its terms. */
  readonly noun: string;
}

/** A name without a term, and the vocabularies in which the user may create one. */
export interface CreatableName {
  readonly name: string;
  readonly choices: readonly NewTermChoice[];
}

/**
 * Returns the vocabularies of a reference in which the caller may create terms: that of `auto_create_bundle` first, the
 * others in the order of the model.
 */
export function newTermVocabularies(call: Call, definition: FieldDefinition): Vocabulary[] {
  if (definition.targetType !== 'taxonomy_term') return [];
  const { services, kinds } = call.api;
  const open = bundlesOf(call, definition)
    .filter((name) => kinds.taxonomy_term.access.create(call.actor, name).isAllowed)
    .flatMap((name) => services.model.vocabularies.get(name) ?? []);
  const isFirst = ({ name }: Vocabulary) => Number(name === definition.autoCreateBundle);
  return open.toSorted((one, other) => isFirst(other) - isFirst(one));
}

/** Returns the choices of a form that creates a term for a reference. */
export function newTermChoices(call: Call, definition: FieldDefinition): NewTermChoice[] {
  return newTermVocabularies(call, definition).map(({ name, noun }) => ({ name, noun }));
}

/** Returns a noun with its article: `an organization`. */
export function withArticle(noun: string): string {
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}
