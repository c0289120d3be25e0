import type { ListedTerm } from '../repository/content/vocabulary-terms.ts';
import type { FormMessage } from './content-form.ts';

/** The vocabularies that a caller may manage. */
export interface VocabulariesData {
  readonly vocabularies: readonly { readonly name: string; readonly label: string; readonly terms: number }[];
}

/** A page of the terms of a vocabulary. */
export interface VocabularyData {
  readonly name: string;
  readonly label: string;
  readonly mayAdd: boolean;
  /** The part of a name that is searched for. */
  readonly text: string;
  readonly page: number;
  readonly pages: number;
  readonly total: number;
  readonly terms: readonly (ListedTerm & { readonly mayEdit: boolean; readonly mayDelete: boolean })[];
  /** The weights that were typed, by id. */
  readonly typed: ReadonlyMap<number, string>;
  readonly messages: readonly FormMessage[];
  readonly token: string;
}

/** The name of the field with the weight of a term. */
export const weightField = (term: number) => `weight.${term}`;
