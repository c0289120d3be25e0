/** Returns the path of the IIIF search within a node. */
export function nodeIiifSearchPath(node: number): string {
  return `/node/${node}/iiif/search`;
}

/** Returns the path of the IIIF search within a node, for viewers that know version 1.0 only. */
export function nodeSearchPathV1(node: number, isOwn: boolean): string {
  return isOwn ? `/single-page-content-search/${node}` : `/paged-content-search/${node}`;
}
