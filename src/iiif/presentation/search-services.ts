import { pathOf } from '../../paths.ts';
import { type CanvasSource, hasLines } from './canvas.ts';
import type { CanvasMedia } from './choose-canvas-media.ts';
import type { Resource } from './resource.ts';

/** The context of the Content Search API 2.0, which names its members. */
export const SEARCH_CONTEXT = 'http://iiif.io/api/search/2/context.json';
/** The context of the Content Search API 1.0. */
export const SEARCH_CONTEXT_V1 = 'http://iiif.io/api/search/1/context.json';

/**
 * Returns the services that search the canvases of a manifest (Content Search API 2.0, 3.1): also that of version 1.0, which
 * is the only one that some viewers know. Undefined without recognized text.
 */
export function searchServices(
  nodeId: number,
  shown: readonly CanvasMedia[],
  { baseUrl }: Pick<CanvasSource, 'baseUrl'>,
): readonly Resource[] | undefined {
  if (!shown.some(({ node }) => hasLines(node))) return undefined;
  const isOwn = shown.every(({ node }) => node.id === nodeId);
  return [
    {
      '@context': SEARCH_CONTEXT,
      id: baseUrl + pathOf('nodeIiifSearch', { node: nodeId }),
      type: 'SearchService2',
      profile: 'http://iiif.io/api/search/2/search',
    },
    {
      '@context': SEARCH_CONTEXT_V1,
      '@id': baseUrl + nodeSearchPathV1(nodeId, isOwn),
      '@type': 'SearchService1',
      profile: 'http://iiif.io/api/search/1/search',
    },
  ];
}

/** Returns the path of the IIIF search within a node, for viewers that know version 1.0 only. */
export function nodeSearchPathV1(node: number, isOwn: boolean): string {
  return pathOf(isOwn ? 'nodeSingleSearch' : 'nodePagedSearch', { node });
}
