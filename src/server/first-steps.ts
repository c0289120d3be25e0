import type { ApiServices } from '../api/api-services.ts';
import { entityPath, filePath, paths } from '../paths.ts';
import { findTermsByUri } from '../repository/content/lists.ts';
import { GENERIC_ICON_URI } from '../repository/files/generic-icon.ts';

const NODE_TYPE = 'islandora_object';
const MEDIA_TYPE = 'image';
const IMAGE_MODEL = 'http://purl.org/coar/resource_type/c_c513';
const ORIGINAL_FILE = 'http://pcdm.org/use#OriginalFile';

/** Three requests with which a new user makes something and sees it; addresses are without host. */
export interface FirstSteps {
  readonly createNode: { readonly path: string; readonly body: string };
  /** Puts an image that is there already, the icon, to the first node. */
  readonly upload: { readonly from: string; readonly path: string; readonly location: string };
  readonly read: readonly string[];
}

/** What to try in a new repository; undefined where its model has other types and terms than the default one. */
export async function findFirstSteps({ services, kinds }: ApiServices): Promise<FirstSteps | undefined> {
  const termOf = async (uri: string) => {
    const [term] = await findTermsByUri(services, kinds.taxonomy_term, 'field_external_uri', uri);
    return term?.head.id;
  };
  const [model, use] = await Promise.all([termOf(IMAGE_MODEL), termOf(ORIGINAL_FILE)]);
  const { nodeTypes, mediaTypes } = services.model;
  if (model === undefined || use === undefined || !nodeTypes.has(NODE_TYPE) || !mediaTypes.has(MEDIA_TYPE))
    return undefined;
  const node = entityPath.node(1);
  const put = paths.nodeMediaSource.replace(':node', '1').replace(':media_type', MEDIA_TYPE);
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
      path: put.replace(':taxonomy_term', String(use)),
      location: 'public://first.png',
    },
    read: [`${node}?_format=json`, `${node}/media?_format=json`],
  };
}
