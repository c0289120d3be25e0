import { paths } from '../../paths.ts';
import type { Call } from '../../web/call.ts';

const PREVIEW = { width: 400, height: 200 };

/** Returns the description of this service for clients such as OpenRefine (Reconciliation Service API 0.2, 3). */
export function manifest({ api, baseUrl }: Call): object {
  const { services, siteName } = api;
  const suggest = (path: string) => ({ service_url: baseUrl, service_path: path });
  return {
    versions: ['0.2'],
    name: siteName,
    identifierSpace: `${baseUrl}/taxonomy/term/`,
    schemaSpace: `${baseUrl}/entity/taxonomy_vocabulary/`,
    view: { url: `${baseUrl}/taxonomy/term/{{id}}` },
    defaultTypes: [...services.model.vocabularies.values()].map(({ name, label }) => ({ id: name, name: label })),
    preview: { ...PREVIEW, url: `${baseUrl}${paths.reconcilePreview.replace(/:\w+/, '{{id}}')}` },
    suggest: {
      entity: suggest(paths.reconcileEntities),
      property: suggest(paths.reconcileSuggestProperties),
      type: suggest(paths.reconcileTypes),
    },
    extend: {
      propose_properties: { service_url: baseUrl, service_path: paths.reconcileProperties },
      property_settings: [],
    },
  };
}
