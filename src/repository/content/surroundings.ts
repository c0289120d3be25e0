import type { InValue } from '@libsql/client';
import type { ContentFacts } from '../access-rule.ts';
import type { LinkedType } from './kinds.ts';
import type { AnswerTerms } from './known-terms.ts';

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

/** Everything that has to be looked up for the surroundings of content, terms excepted: one row of JSON texts. */
export interface SurroundingsQuestion {
  readonly sql: string;
  readonly args: readonly InValue[];
  /** How many columns the row has. */
  readonly width: number;
  /** How many of a node's media are wanted. */
  readonly maxMedia: number;
  /** Which column answers what; undefined for what is not asked. */
  readonly columns: Readonly<Partial<Record<'node' | 'media' | 'file' | 'attached', number>>>;
  /** The terms that the answer has to bring along, as far as it can be known beforehand. */
  readonly termIds: readonly number[];
}

/** What the database says. */
export interface SurroundingsAnswer {
  /** The row, as it is worth comparing with another. */
  readonly texts: readonly string[];
  /** The terms that are known, and those that came along with the row. */
  readonly terms: () => AnswerTerms;
}

/** The question where nothing is asked. */
export const NOTHING_ASKED: SurroundingsQuestion = {
  sql: '',
  args: [],
  width: 0,
  maxMedia: 0,
  columns: {},
  termIds: [],
};
