import { type TProperties, Type as t } from '@sinclair/typebox';
import type { LinkedType } from '../../repository/content/kinds.ts';
import type { RouteDescription } from '../route-description.ts';
import { JSON_TYPE, listOf, PAGE_QUERY, READ_CONDITIONS, versioned, WRITE_CONDITIONS } from './answers.ts';
import { type NamedShape, shape } from './components.ts';
import { VERSION_HEADERS } from './headers.ts';
import { entityId } from './scalars.ts';

/** Lists, and the history of nodes and media. */

const WHOLE = 'The whole list, or one page of ten.';

/** A list of what belongs to a node. */
export function listOfNode(operationId: string, summary: string, name: NamedShape): RouteDescription {
  return {
    operationId,
    tag: 'lists',
    summary,
    description: WHOLE,
    params: t.Object({ node: entityId('The id of the node.') }),
    query: t.Object(PAGE_QUERY),
    responses: listOf(name),
    failures: [403, 404],
  };
}

/** Terms that are looked up by these parameters; without them there are none. */
function findTerms(operationId: string, summary: string, query: TProperties): RouteDescription {
  return {
    operationId,
    tag: 'lists',
    summary,
    query: t.Object(query),
    responses: listOf('TaxonomyTerm'),
    failures: [403],
  };
}

const asked = (description: string) => t.Optional(t.String({ description }));

export const termsByUri = findTerms('findTermsByUri', 'Find terms by what they stand for elsewhere', {
  uri: asked('As http://pcdm.org/use#OriginalFile.'),
});

export const termsByAuthorityLink = findTerms('findTermsByAuthorityLink', 'Find terms by their authority', {
  authority_link: asked('As http://id.loc.gov/vocabulary/languages/nor.'),
});

export const termsByName = findTerms('findTermsByName', 'Find terms of a vocabulary by name', {
  vocab: asked('The name of the vocabulary, as tags.'),
  name: asked('The name of the term.'),
});

export const termsByVocabulary = findTerms('findVocabulary', 'List the terms of a vocabulary', {
  vid: asked('The name of the vocabulary, as tags.'),
  ...PAGE_QUERY,
});

export const termsOfVocabulary: RouteDescription = {
  operationId: 'getVocabulary',
  tag: 'lists',
  summary: 'List the terms of a vocabulary',
  description: WHOLE,
  params: t.Object({ taxonomy_vocabulary: t.String({ description: 'The name of the vocabulary, as tags.' }) }),
  query: t.Object(PAGE_QUERY),
  responses: listOf('TaxonomyTerm'),
  failures: [403, 404],
};

type WithRevisions = Exclude<LinkedType, 'taxonomy_term'>;
const NAMES = { node: 'Node', media: 'Media' } as const;

export function listRevisionsOf(type: WithRevisions): RouteDescription {
  return {
    operationId: `list${NAMES[type]}Revisions`,
    tag: 'revisions',
    summary: `List the revisions of a ${type}`,
    description: 'The newest first, fifty on a page.',
    params: t.Object({ [type]: entityId(`The id of the ${type}.`) }),
    query: t.Object(PAGE_QUERY),
    responses: listOf(`${NAMES[type]}Revision`),
    failures: [403, 404],
  };
}

export function readRevisionOf(type: WithRevisions): RouteDescription {
  return {
    operationId: `get${NAMES[type]}Revision`,
    tag: 'revisions',
    summary: `Read a revision of a ${type}`,
    params: revisionParams(type),
    headers: READ_CONDITIONS,
    responses: versioned(`The ${type} as it was.`, { [JSON_TYPE]: shape(NAMES[type]) }),
    failures: [403, 404, 412],
  };
}

export function revertOf(type: WithRevisions): RouteDescription {
  return {
    operationId: `revert${NAMES[type]}`,
    tag: 'revisions',
    summary: `Make a revision of a ${type} the current one`,
    description: 'As a new revision; nothing of the history is lost.',
    params: revisionParams(type),
    headers: WRITE_CONDITIONS,
    responses: {
      200: {
        description: `The ${type} as it is now.`,
        headers: VERSION_HEADERS,
        content: { [JSON_TYPE]: shape(NAMES[type]) },
      },
    },
    failures: [403, 404, 409, 412, 422, 507],
  };
}

function revisionParams(type: WithRevisions) {
  return t.Object({
    [type]: entityId(`The id of the ${type}.`),
    [`${type}_revision`]: entityId('The id of the revision.'),
  });
}
