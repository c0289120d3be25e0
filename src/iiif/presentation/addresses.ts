import { nodeCanvasPath } from '../../paths.ts';

/** Returns the address that identifies the canvas of a media, the same in every manifest that shows it. */
export function canvasId(baseUrl: string, nodeId: number, mediaId: number): string {
  return baseUrl + nodeCanvasPath(nodeId, mediaId);
}

/** Returns the address of the lines of text on a canvas. */
export function annotationsId(baseUrl: string, nodeId: number, mediaId: number): string {
  return `${canvasId(baseUrl, nodeId, mediaId)}/annotations`;
}
