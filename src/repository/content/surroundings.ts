import type { ContentFacts } from '../access.ts';
import type { ContentType } from './kinds.ts';

/** Content beside other content, as far as links and graphs tell of it. */
export interface Neighbour extends ContentFacts {
  readonly type: ContentType;
  readonly id: number;
  readonly label: string;
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
  /** Targets of references and typed relations, in the order of the fields and their items. */
  readonly targets: readonly { readonly field: string; readonly target: Neighbour }[];
  /** Of a node, in order of id; the first of them if there are very many. */
  readonly media: readonly AttachedMedia[];
  readonly hasMoreMedia: boolean;
  /** Of a media whose file the caller may fetch. */
  readonly file: SourceFile | undefined;
}
