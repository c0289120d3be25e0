import { Type as t } from '@sinclair/typebox';
import { type Description, GRAPH_TYPE, READ_CONDITIONS, versioned } from '../../web/openapi/describe.ts';

function search(operationId: string, summary: string, description: string, required: readonly string[]): Description {
  const schema = t.Unsafe({ type: 'object', required: ['@context', ...required] });
  return {
    operationId,
    tag: 'content',
    summary,
    description,
    headers: READ_CONDITIONS,
    responses: versioned('The places of the words on canvases that the caller may view.', { [GRAPH_TYPE]: schema }),
    failures: [400, 403, 404, 412],
  };
}

const V1 = ['@id', '@type', 'resources', 'hits'];

export const iiifSearch = search(
  'searchNodeText',
  'Search the recognized text of a node',
  'IIIF Content Search API 2.0: an AnnotationPage with a rectangle for each place, in the order of the canvases of the manifest, 20 canvases a page. The parameters date and user are ignored.',
  ['id', 'type', 'items'],
);

export const pagedSearch = search(
  'searchPagedContent',
  'Search the recognized text of a node, version 1.0',
  'IIIF Content Search API 1.0: an AnnotationList of the same places, for viewers that know this version only. The address is that of Islandora.',
  V1,
);

export const singleSearch = search(
  'searchSinglePageContent',
  'Search the recognized text of the own canvas of a node, version 1.0',
  'IIIF Content Search API 1.0, as for paged content, without the members of the node. The address is that of Islandora.',
  V1,
);
