import { type TSchema, Type as t } from '@sinclair/typebox';
import type { ContentType } from '../../repository/access-rule.ts';
import {
  GRAPH_TYPE,
  JSON_TYPE,
  jsonOf,
  LINKSET_JSON_TYPE,
  LINKSET_TYPE,
  nothing,
  PAGE_TYPE,
  READ_CONDITIONS,
  versioned,
  WRITE_CONDITIONS,
} from '../openapi/answers.ts';
import { type NamedShape, shape } from '../openapi/components.ts';
import type { Description } from '../openapi/describe.ts';
import { CONTENT_HEADERS, VERSION_HEADERS } from '../openapi/headers.ts';

/** The words that describe a kind of content. */
interface KindWords {
  readonly noun: string;
  readonly name: string;
  readonly shapes: readonly [answer: NamedShape, create: NamedShape, change: NamedShape];
  readonly bundle: string;
  /** The callers who see it, if that depends on other content. */
  readonly visibility?: string;
  readonly removal: string;
}

export const KINDS: Readonly<Record<ContentType, KindWords>> = {
  node: {
    noun: 'node',
    name: 'Node',
    shapes: ['Node', 'NodeCreate', 'NodeChange'],
    bundle: 'type',
    removal: 'Its media stay, hidden until they belong to another node; references to it disappear.',
  },
  media: {
    noun: 'media',
    name: 'Media',
    shapes: ['Media', 'MediaCreate', 'MediaChange'],
    bundle: 'bundle',
    visibility: 'Callers see a published media if they may view a node that it belongs to, or if it belongs to none.',
    removal: 'Its file stays; references to it disappear.',
  },
  taxonomy_term: {
    noun: 'term',
    name: 'Term',
    shapes: ['TaxonomyTerm', 'TaxonomyTermCreate', 'TaxonomyTermChange'],
    bundle: 'vid',
    removal:
      'Terms below it that have no other parent go with it; references to them disappear. Terms that the configuration ' +
      'refers to by URI need the permission `administer configured terms`, also to change that URI.',
  },
  paragraph: {
    noun: 'paragraph',
    name: 'Paragraph',
    shapes: ['Paragraph', 'ParagraphCreate', 'ParagraphChange'],
    bundle: 'type',
    removal: 'What belongs to it goes with it; references to it disappear.',
  },
};

const LENIENT =
  'Numbers and booleans may come as text, a list of one as its bare item, an item as its bare main value, and an empty list as null. What is computed or read-only may be sent back as it was answered.';

/** The routes of one address of content; `suffix` tells the operations of a second address apart. */
export function readContent(type: ContentType, suffix = ''): Description {
  const { noun, name, shapes, visibility } = KINDS[type];
  const forms = `\`_format\` says in which form, or else \`Accept\` does. An alias of the ${noun} is answered in the same way.`;
  const content: Record<string, TSchema> = {
    [JSON_TYPE]: shape(shapes[0]),
    [GRAPH_TYPE]: shape('Graph'),
    [PAGE_TYPE]: t.String({ description: 'A page for people.' }),
  };
  return {
    operationId: `get${name}${suffix}`,
    tag: 'content',
    summary: `Read a ${noun}`,
    description: visibility === undefined ? forms : `${forms} ${visibility}`,
    headers: READ_CONDITIONS,
    responses: versioned(`The ${noun} as the caller may see it.`, content, ['Link', 'Content-Security-Policy']),
    failures: [403, 404, 412],
  };
}

/** The links of content as a document. */
export function readLinkset(type: ContentType): Description {
  const { noun, name } = KINDS[type];
  const content: Record<string, TSchema> = {
    [LINKSET_JSON_TYPE]: shape('Linkset'),
    [LINKSET_TYPE]: t.String({ description: 'The same as links of a header are written (RFC 9264, 4.1).' }),
  };
  return {
    operationId: `get${name}Linkset`,
    tag: 'content',
    summary: `Read all links of a ${noun}`,
    description: 'Those of its Link header and of its files, also where a header has no room for them.',
    headers: READ_CONDITIONS,
    responses: versioned('The links that the caller may see.', content, ['Link']),
    failures: [403, 404, 412],
  };
}

/** A paragraph has no page, no graph and no links: it is part of what it belongs to. */
export function readParagraph(): Description {
  return {
    operationId: 'getParagraph',
    tag: 'content',
    summary: 'Read a paragraph',
    description:
      'A paragraph is seen by those who see what it belongs to, and while it belongs to nothing by who made it.',
    headers: READ_CONDITIONS,
    responses: versioned('The paragraph.', jsonOf('Paragraph')),
    failures: [403, 404, 412],
  };
}

export function createContentOf(type: ContentType, suffix = ''): Description {
  const { noun, name, shapes, bundle } = KINDS[type];
  return {
    operationId: `create${name}${suffix}`,
    tag: 'content',
    summary: `Create a ${noun}`,
    description: `\`${bundle}\` says which fields there are. ${LENIENT}`,
    responses: {
      201: {
        description: `The new ${noun}.`,
        headers: [...CONTENT_HEADERS, 'Location'],
        content: jsonOf(shapes[0]),
      },
    },
    failures: [403, 409, 413, 422, 507],
  };
}

export function changeContentOf(type: ContentType, suffix = ''): Description {
  const { noun, name, shapes, bundle } = KINDS[type];
  return {
    operationId: `change${name}${suffix}`,
    tag: 'content',
    summary: `Change a ${noun}`,
    description: `The body names \`${bundle}\`, and the fields that change: each is replaced as a whole. ${LENIENT}`,
    headers: WRITE_CONDITIONS,
    responses: {
      200: { description: `The ${noun} as it is now.`, headers: VERSION_HEADERS, content: jsonOf(shapes[0]) },
    },
    failures: [403, 404, 409, 412, 413, 422, 507],
  };
}

export function removeContentOf(type: ContentType, suffix = ''): Description {
  const { noun, name, removal } = KINDS[type];
  return {
    operationId: `delete${name}${suffix}`,
    tag: 'content',
    summary: `Delete a ${noun}`,
    description: removal,
    headers: WRITE_CONDITIONS,
    responses: { 204: nothing('It is gone.') },
    failures: [403, 404, 409, 412, 507],
  };
}
