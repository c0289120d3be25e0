import { entityPath, pathOf } from '../../paths.ts';

/** Returns the address that identifies the canvas of a media, the same in every manifest that shows it. No route answers at it. */
export function canvasId(baseUrl: string, nodeId: number, mediaId: number): string {
  return `${baseUrl}${entityPath.node(nodeId)}/canvas/${mediaId}`;
}

/** Returns the address of the lines of text on a canvas. */
export function annotationsId(baseUrl: string, nodeId: number, mediaId: number): string {
  return baseUrl + pathOf('nodeCanvasAnnotations', { node: nodeId, media: mediaId });
}
