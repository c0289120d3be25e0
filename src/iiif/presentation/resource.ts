import type { ContentModel } from '../../model/content-model.ts';
import { entityPath, pathOf } from '../../paths.ts';

/** A JSON object of a manifest. Members that are undefined are left out. */
export type Resource = Readonly<Record<string, unknown>>;

/** The context of the Presentation API 3.0, which names its members. */
export const PRESENTATION_CONTEXT = 'http://iiif.io/api/presentation/3/context.json';

/** The media type of manifests, collections and pages of annotations. */
export const PRESENTATION_TYPE = `application/ld+json;profile="${PRESENTATION_CONTEXT}"`;

/** Returns the type of the resource of a node, by the URI of its model. */
export function resourceTypeOf(
  { models }: Pick<ContentModel, 'models'>,
  modelUri: string | null | undefined,
): 'Collection' | 'Manifest' {
  return models.of(modelUri).structure === 'collection' ? 'Collection' : 'Manifest';
}

/** Returns the address that identifies the canvas of a media, the same in every manifest that shows it. No route answers at it. */
export function canvasId(baseUrl: string, nodeId: number, mediaId: number): string {
  return `${baseUrl}${entityPath.node(nodeId)}/canvas/${mediaId}`;
}

/** Returns the address of the lines of text on a canvas. */
export function annotationsId(baseUrl: string, nodeId: number, mediaId: number): string {
  return baseUrl + pathOf('nodeCanvasAnnotations', { node: nodeId, media: mediaId });
}
