import type { Rule } from './lay-over.ts';

const BUNDLES: Rule = { each: { members: { fields: { each: 'field' } } } };

/** How a site's content model goes over the default one. */
export const MODEL_LAYERS: Rule = {
  members: {
    text_formats: { each: 'replace' },
    lists: { each: { each: 'replace' } },
    node_types: BUNDLES,
    media_types: BUNDLES,
    vocabularies: BUNDLES,
    paragraph_types: BUNDLES,
    user_fields: { each: 'field' },
    terms: { each: 'replace' },
    roles: { each: { members: {} } },
    rest: { each: { each: 'replace' } },
    rdf: {
      members: {
        prefixes: { each: 'replace' },
        bundles: { each: { members: { fields: { each: 'replace' } } } },
      },
    },
    signposting: { each: { each: 'replace' } },
    views: { each: 'replace' },
  },
};
