/** The templates of the paths of vocabularies and terms, a part of `paths`. */
export const TAXONOMY_PATHS = {
  vocabularies: '/taxonomy',
  vocabularyTerms: '/taxonomy/manage/:taxonomy_vocabulary',
  termAddForm: '/taxonomy/manage/:taxonomy_vocabulary/add',
  termMergeForm: '/taxonomy/manage/:taxonomy_vocabulary/merge/:taxonomy_term',
  /** The report of terms whose names are almost the same. */
  similarTerms: '/taxonomy/manage/:taxonomy_vocabulary/similar',
  unusedTerms: '/taxonomy/manage/:taxonomy_vocabulary/unused',
  terms: '/taxonomy/term',
  term: '/taxonomy/term/:taxonomy_term',
  termEdit: '/taxonomy/term/:taxonomy_term/edit',
  termDelete: '/taxonomy/term/:taxonomy_term/delete',
  /** Merges a term into another one, or replaces it by that one in all content. */
  termMerge: '/taxonomy/term/:taxonomy_term/merge',
  termRevisions: '/taxonomy/term/:taxonomy_term/revisions',
} as const;
