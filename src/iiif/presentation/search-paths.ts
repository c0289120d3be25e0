import { pathOf } from '../../paths.ts';

/** Returns the path of the IIIF search within a node, for viewers that know version 1.0 only. */
export function nodeSearchPathV1(node: number, isOwn: boolean): string {
  return pathOf(isOwn ? 'nodeSingleSearch' : 'nodePagedSearch', { node });
}
