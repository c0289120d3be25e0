import { nearest } from '../base/nearest.ts';
import type { MediaType } from '../model/content-model.ts';

/** The rules for derivatives of source files. Read from `config/derivatives.yaml` and the user's own file. */
export interface DerivativeRules {
  readonly actions: ReadonlyMap<string, DerivativeAction>;
  readonly contexts: readonly DerivativeContext[];
}

/** One kind of derivative: its source, its processor and its destination. */
export interface DerivativeAction {
  readonly name: string;
  readonly label: string;
  /** URI of the use of the source media. */
  readonly sourceTerm: string;
  /** URI of the use of the derivative. */
  readonly derivativeTerm: string;
  /** MIME types, families and `*`: sources of other types are skipped. */
  readonly sourceMimeTypes: readonly string[];
  /** The MIME type of the derivative. */
  readonly mimeType: string;
  /** The arguments of the command, as in `X-Repo-Args`; empty for none. */
  readonly args: string;
  /** The media type of the derivative. */
  readonly mediaType: string;
  readonly scheme: string;
  /** The path of its file below the scheme, with tokens. */
  readonly path: string;
  /** The embedded processor, or any of these addresses; undefined: as the server is configured. */
  readonly processor: 'embedded' | readonly string[] | undefined;
  /** Maximum time from the call to the last byte. */
  readonly timeoutSeconds: number;
  /** Maximum size of a stored derivative; undefined for any size. */
  readonly maxBytes: number | undefined;
  /** The source of a derivative of all members of a node, such as the pages of a book; undefined for one source file. */
  readonly ofMembers: MembersSource | undefined;
}

/** The files of all members of a node as a source, once none of the members has open jobs. */
export interface MembersSource {
  /** URIs of terms; the node must have one of them. */
  readonly parentTerms: readonly string[];
  /** Seconds without a change of the members. */
  readonly settleSeconds: number;
}

/** The conditions under which actions run. */
export interface DerivativeContext {
  readonly name: string;
  readonly label: string;
  readonly isEnabled: boolean;
  /** True if all conditions must be met; false if one is enough. */
  readonly requiresAll: boolean;
  readonly conditions: readonly Condition[];
  /** Names of actions. */
  readonly actions: readonly string[];
}

/** A condition on a media, its file or its node. `values` are URIs, media types or MIME types. */
export interface Condition {
  readonly condition: ConditionName;
  readonly values: readonly string[];
  /** Requires all values (`and`) or one of them (`or`). */
  readonly logic: 'and' | 'or';
}

export const CONDITION_NAMES = [
  'media_has_term',
  'parent_node_has_term',
  'media_has_type',
  'media_has_mimetype',
] as const;

export type ConditionName = (typeof CONDITION_NAMES)[number];

/** The facts that conditions test. */
export interface MediaFacts {
  readonly mediaType: string;
  /** The type of the source file, in lower case and without parameters. */
  readonly mimeType: string;
  /** The URIs of all terms to which the media refers in any field. */
  readonly mediaTerms: ReadonlySet<string>;
  /** The same for its node. */
  readonly nodeTerms: ReadonlySet<string>;
}

/** Returns the message about an unknown action. */
export function unknownAction({ actions }: DerivativeRules, name: string): string {
  const known = [...actions.keys()];
  const guess = nearest(name, known);
  const hint = guess === undefined ? `the actions are ${known.join(', ')}` : `did you mean ${guess}?`;
  return `Unknown action ${name}; ${hint}`;
}

/** The media types and schemes that derivatives can have. */
export interface DerivativePlaces {
  readonly mediaTypes: ReadonlyMap<string, MediaType>;
  readonly schemes: ReadonlySet<string>;
}

/** The pool of actions without a processor of their own: the processors of the server configuration. */
export const DEFAULT_POOL = 'default';
/** The pool of the embedded processor. */
export const EMBEDDED_POOL = 'embedded';

/** Returns the name of the pool in which the jobs of an action wait. */
export function poolOf({ processor }: DerivativeAction): string {
  if (processor === undefined) return DEFAULT_POOL;
  return processor === 'embedded' ? EMBEDDED_POOL : processor.join(' ');
}

/** Marks the pools of scans: their jobs take turns with those of uploads, so that a million old files delay no new one. */
export const SCAN_MARK = ' (scan)';

/** Returns the name of the pool in which the jobs of a scan wait. */
export function scanPool(pool: string): string {
  return `${pool}${SCAN_MARK}`;
}
