import { nearest } from '../base/nearest.ts';
import type { MediaType } from '../model/content-model.ts';

/** What is made of source files, of which, and under which circumstances. Read from `config/derivatives.yaml`. */
export interface DerivativeRules {
  readonly actions: ReadonlyMap<string, DerivativeAction>;
  readonly contexts: readonly DerivativeContext[];
}

/** One kind of derivative: what it is made of, by whom, and where it goes. */
export interface DerivativeAction {
  readonly name: string;
  readonly label: string;
  /** URI of the use that the source media has. */
  readonly sourceTerm: string;
  /** URI of the use that the derivative gets. */
  readonly derivativeTerm: string;
  /** MIME types, families and `*`: sources of other types are passed over. */
  readonly sourceMimeTypes: readonly string[];
  /** The MIME type that is asked for. */
  readonly mimeType: string;
  /** For the command, as in `X-Repo-Args`; empty for none. */
  readonly args: string;
  /** The media type of the derivative. */
  readonly mediaType: string;
  readonly scheme: string;
  /** Where its file goes below the scheme, with tokens. */
  readonly path: string;
  /** Who makes it: the processor within, or any of these addresses; undefined: as the server is configured. */
  readonly processor: 'embedded' | readonly string[] | undefined;
  /** How long it may take from the call to the last byte. */
  readonly timeoutSeconds: number;
  /** Maximum size of a stored derivative; undefined for any size. */
  readonly maxBytes: number | undefined;
  /** Of what is made of all members of a node at once, such as the pages of a book; undefined for all else. */
  readonly ofMembers: MembersSource | undefined;
}

/** The source is not one file but those of the members of a node, once none of them has work left. */
export interface MembersSource {
  /** URIs of terms of which the node must have one. */
  readonly parentTerms: readonly string[];
  /** How long nothing must have come to the members. */
  readonly settleSeconds: number;
}

/** The circumstances in which actions are taken. */
export interface DerivativeContext {
  readonly name: string;
  readonly label: string;
  readonly isEnabled: boolean;
  /** Whether all conditions must hold, and not just one. */
  readonly requiresAll: boolean;
  readonly conditions: readonly Condition[];
  /** Names of actions. */
  readonly actions: readonly string[];
}

/** Something that must hold of a media, its file or its node. `values`: URIs, media types or MIME types. */
export interface Condition {
  readonly condition: ConditionName;
  readonly values: readonly string[];
  /** Whether all of the values are needed, or one of them. */
  readonly logic: 'and' | 'or';
}

export const CONDITION_NAMES = [
  'media_has_term',
  'parent_node_has_term',
  'media_has_type',
  'media_has_mimetype',
] as const;

export type ConditionName = (typeof CONDITION_NAMES)[number];

/** What conditions are asked of. */
export interface MediaFacts {
  readonly mediaType: string;
  /** Of the source file, in lower case and without parameters. */
  readonly mimeType: string;
  /** URIs of every term that the media refers to in any field. */
  readonly mediaTerms: ReadonlySet<string>;
  /** The same of the node that it belongs to. */
  readonly nodeTerms: ReadonlySet<string>;
}

/** What to say to someone who names an action that the rules do not have. */
export function unknownAction({ actions }: DerivativeRules, name: string): string {
  const known = [...actions.keys()];
  const guess = nearest(name, known);
  const hint = guess === undefined ? `the rules have ${known.join(', ')}` : `did you mean ${guess}?`;
  return `There is no action named ${name}; ${hint}`;
}

/** What derivatives can become, and where they can go. */
export interface KnownPlaces {
  readonly mediaTypes: ReadonlyMap<string, MediaType>;
  readonly schemes: ReadonlySet<string>;
}
