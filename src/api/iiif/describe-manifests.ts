import { Type as t } from '@sinclair/typebox';
import { type Description, GRAPH_TYPE, READ_CONDITIONS, versioned } from '../../web/openapi/describe.ts';

const presentation = t.Unsafe({
  type: 'object',
  description: 'A resource of the IIIF Presentation API.',
  required: ['@context'],
});

function manifest(operationId: string, summary: string, description: string): Description {
  return {
    operationId,
    tag: 'content',
    summary,
    description,
    headers: READ_CONDITIONS,
    responses: versioned('The resource, with what the caller may view.', { [GRAPH_TYPE]: presentation }),
    failures: [403, 404, 412],
  };
}

export const nodeManifest = manifest(
  'getNodeManifest',
  'Read the IIIF manifest of a node',
  'A Manifest for a node with an image, audio, video or PDF, of its own or of its members; a Collection for a node whose model is a collection.',
);

export const nodeBookManifest = manifest(
  'getNodeBookManifest',
  'Read the IIIF manifest of the pages of a node',
  'The manifest of a node with members, in version 2 of the Presentation API, which merging programs of Islandora read; in version 3 by the profile in Accept, or by version=3. The address is that of Islandora.',
);

export const canvasAnnotations: Description = {
  ...manifest(
    'getCanvasAnnotations',
    'Read the recognized text of a canvas',
    'An AnnotationPage with the lines of the recognized text of the node (hOCR, ALTO or PAGE XML), and their positions on the canvas. 422 for a file that is too large.',
  ),
  failures: [403, 404, 412, 422],
};
