import type { ContentFacts } from '../access-rule.ts';
import type { LinkedType } from './kinds.ts';
import type { AnswerTerms } from './known-terms.ts';
import type { SurroundingsQueries, SurroundingsRow, SurroundingsValues } from './surroundings-queries.ts';

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

/** Which of a node's media are wanted, in their order. */
export interface WantedMedia {
  readonly limit: number;
  readonly offset: number;
}

/** Everything that has to be looked up for the surroundings of content, terms excepted. */
export interface SurroundingsQuestion {
  /** The values of the query; undefined if nothing has to be looked up. */
  readonly values: SurroundingsValues | undefined;
  readonly queries: SurroundingsQueries | undefined;
  /** The terms that the answer has to contain, as far as they are known beforehand. */
  readonly termIds: readonly number[];
}

/** What the database says. */
export interface SurroundingsAnswer {
  readonly row: SurroundingsRow | undefined;
  /** The values of the row: equal for equal surroundings. */
  readonly texts: readonly string[];
  /** The terms that are known, and those that came along with the row. */
  readonly terms: () => AnswerTerms;
}

/** The question where nothing is asked. */
export const NOTHING_ASKED: SurroundingsQuestion = { values: undefined, queries: undefined, termIds: [] };
