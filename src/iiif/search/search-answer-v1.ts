import type { Resource } from '../presentation/resource.ts';
import { SEARCH_CONTEXT_V1 } from '../presentation/search-services.ts';
import type { SearchRequest } from './search-answer.ts';
import { annotatedMatches, distinctAnnotations, type WithinResult } from './within-result.ts';

const CONTEXTS = ['http://iiif.io/api/presentation/2/context.json', SEARCH_CONTEXT_V1];

/** Returns a page of a result for viewers that know the Content Search API 1.0 only, such as Mirador 4. */
export function searchAnswerV1(result: WithinResult, { address, ignored }: SearchRequest): Resource {
  const { page, pages } = result;
  const matches = annotatedMatches(result);
  const resources = distinctAnnotations(matches);
  const isComplete = pages === 1;
  return {
    '@context': CONTEXTS,
    '@id': isComplete ? address() : address(page),
    '@type': 'sc:AnnotationList',
    within: {
      '@type': 'sc:Layer',
      total: isComplete ? resources.length : undefined,
      ignored: ignored.length > 0 ? ignored : undefined,
      first: isComplete ? undefined : address(0),
      last: isComplete ? undefined : address(pages - 1),
    },
    startIndex: page === 0 ? 0 : undefined,
    next: page + 1 < pages ? address(page + 1) : undefined,
    prev: page > 0 ? address(page - 1) : undefined,
    resources: resources.map(({ id, text, target }) => ({
      '@id': id,
      '@type': 'oa:Annotation',
      motivation: 'sc:painting',
      resource: { '@type': 'cnt:ContentAsText', chars: text },
      on: target,
    })),
    hits: matches.map(({ annotations, before, exact, after }) => ({
      '@type': 'search:Hit',
      annotations: annotations.map(({ id }) => id),
      match: exact,
      before,
      after,
    })),
  };
}
