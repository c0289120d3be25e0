import { type TSchema, Type as t } from '@sinclair/typebox';
import type { ContentType } from '../../repository/access-rule.ts';
import type { Formats } from '../../web/formats.ts';
import {
  changed,
  created,
  DELETED,
  DELETED_WITH_NOTICE,
  type Description,
  GRAPH_TYPE,
  JSON_TYPE,
  LINKSET_JSON_TYPE,
  LINKSET_TYPE,
  PAGE_CONTENT,
  READ_CONDITIONS,
  versioned,
  WRITE_CONDITIONS,
} from '../../web/openapi/describe.ts';
import { CONTENT_SCHEMAS, graphSchema, linksetSchema } from './content-schemas.ts';

/** The texts of a kind of content. */
interface KindWords {
  readonly noun: string;
  readonly name: string;
  readonly bundle: string;
  /** The access rule, if it depends on other content. */
  readonly visibility?: string;
  readonly removal: string;
}

export const KINDS: Readonly<Record<ContentType, KindWords>> = {
  node: {
    noun: 'node',
    name: 'Node',
    bundle: 'type',
    removal:
      'Its media remain, hidden until they belong to another node, unless `files=delete` asks for their deletion. Its members ' +
      'remain, unless `members` names them. References to it are removed.',
  },
  media: {
    noun: 'media',
    name: 'Media',
    bundle: 'bundle',
    visibility: 'A caller may view a published media if it belongs to no node, or to a node that the caller may view.',
    removal: 'Its file remains, unless `files=delete` asks for its deletion. References to it are removed.',
  },
  taxonomy_term: {
    noun: 'term',
    name: 'Term',
    bundle: 'vid',
    removal:
      'Also deletes its child terms without another parent. References to them are removed. To delete a term that the ' +
      'configuration refers to by URI, or to change that URI, requires the permission `administer configured terms`.',
  },
  paragraph: {
    noun: 'paragraph',
    name: 'Paragraph',
    bundle: 'type',
    removal: 'Also deletes the paragraphs in it. References to it are removed.',
  },
};

const LENIENT =
  'Numbers and booleans may be text, a list of one item may be the bare item, an item may be its bare main value, and an empty list may be null. Computed and read-only members are ignored.';

const RECORD = t.String({ description: 'The metadata of the node in a format of harvesters, as an XML document.' });
const isXml = (type: string) => /[+/]xml$/.test(type);

/** `offered` are the representations; `suffix` makes the operations of a second address unique. */
export function readContent(type: ContentType, offered: Formats, suffix = ''): Description {
  const { noun, name, visibility } = KINDS[type];
  const formats = `\`_format\`, or else \`Accept\`, selects the representation. An alias of the ${noun} returns the same.`;
  const content: Record<string, TSchema> = {
    [JSON_TYPE]: CONTENT_SCHEMAS[type].answer,
    [GRAPH_TYPE]: graphSchema,
    ...PAGE_CONTENT,
    ...Object.fromEntries(Object.values(offered).flatMap((type) => (isXml(type) ? [[type, RECORD]] : []))),
  };
  return {
    operationId: `get${name}${suffix}`,
    tag: 'content',
    summary: `Read a ${noun}`,
    description: visibility === undefined ? formats : `${formats} ${visibility}`,
    headers: READ_CONDITIONS,
    responses: versioned(`The ${noun} as the caller may view it.`, content, ['Link', 'Content-Security-Policy']),
    failures: [403, 404, 412],
  };
}

export function readLinkset(type: ContentType): Description {
  const { noun, name } = KINDS[type];
  const content: Record<string, TSchema> = {
    [LINKSET_JSON_TYPE]: linksetSchema,
    [LINKSET_TYPE]: t.String({ description: 'The links in the format of the Link header (RFC 9264, 4.1).' }),
  };
  return {
    operationId: `get${name}Linkset`,
    tag: 'content',
    summary: `Read all links of a ${noun}`,
    description: 'The links of its Link header without a size limit, and those of its files.',
    headers: READ_CONDITIONS,
    responses: versioned('The links to what the caller may view.', content, ['Link']),
    failures: [403, 404, 412],
  };
}

/** A paragraph has no page, no graph and no links: it is part of its host. */
export function readParagraph(): Description {
  return {
    operationId: 'getParagraph',
    tag: 'content',
    summary: 'Read a paragraph',
    description:
      'A caller may view a paragraph if the caller may view its host. Its creator may view a paragraph without a host.',
    headers: READ_CONDITIONS,
    responses: versioned('The paragraph.', { [JSON_TYPE]: CONTENT_SCHEMAS.paragraph.answer }),
    failures: [403, 404, 412],
  };
}

export function createContentOf(type: ContentType, suffix = ''): Description {
  const { noun, name, bundle } = KINDS[type];
  return {
    operationId: `create${name}${suffix}`,
    tag: 'content',
    summary: `Create a ${noun}`,
    description: `\`${bundle}\` determines the fields. ${LENIENT}`,
    responses: created(`The new ${noun}.`, CONTENT_SCHEMAS[type].answer),
    failures: [403, 409, 413, 422, 507],
  };
}

export function changeContentOf(type: ContentType, suffix = ''): Description {
  const { noun, name, bundle } = KINDS[type];
  return {
    operationId: `change${name}${suffix}`,
    tag: 'content',
    summary: `Change a ${noun}`,
    description: `The body has \`${bundle}\` and the changed fields. Each field is replaced as a whole. ${LENIENT}`,
    headers: WRITE_CONDITIONS,
    responses: changed(
      `The changed ${noun}.`,
      CONTENT_SCHEMAS[type].answer,
      type === 'media' || type === 'node' ? ['X-Repo-Notice'] : [],
    ),
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
    responses: type === 'node' ? DELETED_WITH_NOTICE : DELETED,
    failures: [403, 404, 409, 412, ...(type === 'node' ? ([422] as const) : []), 507],
  };
}
