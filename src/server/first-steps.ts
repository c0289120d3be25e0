import { MEDIA_USE_URI } from '../model/media-use.ts';
import { entityPath, filePath, pathOf, paths } from '../paths.ts';
import { findTermsByUri } from '../repository/content/lists/lists.ts';
import { GENERIC_ICON_URI } from '../repository/files/generic-icon.ts';
import type { ApiServices } from '../web/api-services.ts';

const NODE_TYPE = 'islandora_object';
const MEDIA_TYPE = 'image';

/** Three requests with which a new user creates a node and reads it. Addresses have no host. */
export interface FirstSteps {
  readonly createNode: { readonly path: string; readonly body: string };
  /** Uploads an existing image, the icon, to the first node. */
  readonly upload: { readonly from: string; readonly path: string; readonly location: string };
  readonly read: readonly string[];
}

/** Returns the first steps in a new repository; undefined if its model lacks the default types and terms. */
export async function findFirstSteps({ services, kinds }: ApiServices): Promise<FirstSteps | undefined> {
  const termOf = async (uri: string) => {
    const [term] = await findTermsByUri(services, kinds.taxonomy_term, 'field_external_uri', uri);
    return term?.head.id;
  };
  const { nodeTypes, mediaTypes, models } = services.model;
  const modelUri = models.uriForFile(MEDIA_TYPE, '');
  const [model, use] = await Promise.all([modelUri && termOf(modelUri), termOf(MEDIA_USE_URI.original)]);
  if (!model || use === undefined || !nodeTypes.has(NODE_TYPE) || !mediaTypes.has(MEDIA_TYPE)) return undefined;
  const node = entityPath.node(1);
  return {
    createNode: {
      path: `${paths.nodes}?_format=json`,
      body: JSON.stringify({
        type: [{ target_id: NODE_TYPE }],
        title: [{ value: 'My first object' }],
        field_model: [{ target_id: model }],
      }),
    },
    upload: {
      from: filePath(GENERIC_ICON_URI),
      path: pathOf('nodeMediaSource', { node: 1, media_type: MEDIA_TYPE, taxonomy_term: use }),
      location: 'public://first.png',
    },
    read: [`${node}?_format=json`, `${node}/media?_format=json`],
  };
}
