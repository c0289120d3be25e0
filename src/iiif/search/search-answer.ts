import { PRESENTATION_CONTEXT, type Resource } from '../presentation/resource.ts';
import { SEARCH_CONTEXT, SEARCH_CONTEXT_V1 } from '../presentation/search-services.ts';
import { type AnnotatedMatch, annotatedMatches, distinctAnnotations, type WithinResult } from './within-result.ts';

/** A search as a client asked for it. */
export interface SearchRequest {
  /** Returns the address of a page of the result; of the whole without a page. */
  readonly address: (page?: number) => string;
  /** The parameters that have no effect. */
  readonly ignored: readonly string[];
}

/** Returns a page of a result as annotations (Content Search API 2.0, 3.3 and 3.4). */
export function searchAnswer(result: WithinResult, { address, ignored }: SearchRequest): Resource {
  const { page, pages } = result;
  const matches = annotatedMatches(result);
  const collection = { id: address(), type: 'AnnotationCollection' };
  const pageAt = (number: number) => ({ id: address(number), type: 'AnnotationPage' });
  const paging = {
    partOf: { ...collection, first: pageAt(0), last: pageAt(pages - 1) },
    next: page + 1 < pages ? pageAt(page + 1) : undefined,
    prev: page > 0 ? pageAt(page - 1) : undefined,
  };
  return {
    '@context': [PRESENTATION_CONTEXT, SEARCH_CONTEXT],
    id: pages > 1 ? address(page) : address(),
    type: 'AnnotationPage',
    ...(pages > 1 ? paging : {}),
    ignored: ignored.length > 0 ? ignored : undefined,
    items: distinctAnnotations(matches).map(({ id, text, language, target }) => ({
      id,
      type: 'Annotation',
      motivation: 'supplementing',
      body: { type: 'TextualBody', value: text, format: 'text/plain', language },
      target,
    })),
    annotations:
      matches.length === 0
        ? undefined
        : [
            {
              type: 'AnnotationPage',
              ...(pages > 1 ? { partOf: collection } : {}),
              items: matches.map((match, index) => context(match, `${address(page)}#match-${index + 1}`)),
            },
          ],
  };
}

/** Returns the text around a match. A client shows it beside a word, and marks the words in a whole line. */
function context({ annotations, before, after }: AnnotatedMatch, id: string): Resource {
  const targets = annotations.map((annotation, index) => ({
    type: 'SpecificResource',
    source: annotation.id,
    selector: [
      {
        type: 'TextQuoteSelector',
        prefix: index === 0 ? withText(before, '', ' ') : undefined,
        exact: annotation.exact,
        suffix: index === annotations.length - 1 ? withText(after, ' ', '') : undefined,
      },
    ],
  }));
  return {
    id,
    type: 'Annotation',
    motivation: annotations.some(({ isLine }) => isLine) ? 'highlighting' : 'contextualizing',
    target: targets.length === 1 ? targets[0] : targets,
  };
}

function withText(text: string, start: string, end: string): string | undefined {
  return text === '' ? undefined : `${start}${text}${end}`;
}

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
