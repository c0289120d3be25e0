import type { FieldTypes } from '../field-types/field-type.ts';
import type { Link } from '../http/link-header.ts';
import type { FieldDefinition } from '../model/content-model.ts';
import { entityPath, filePath } from '../paths.ts';
import type { Content } from '../repository/content/content.ts';
import type { Neighbour, Surroundings } from '../repository/content/read/surroundings.ts';

/** The prefix of URIs of media uses. */
const USE_URIS = 'http://pcdm.org/use#';

/** Internal addresses, which clients cannot follow. */
const INNER_ADDRESS = /^(?:internal|entity):/;

/** The representations besides the page, in the order of their links. */
const DATA_FORMATS = [
  ['jsonld', 'application/ld+json'],
  ['json', 'application/json'],
] as const;

interface LinkContext {
  readonly baseUrl: string;
  /** The language of the labels of fields. */
  readonly labelLanguage: string;
  /** The format of the response, which is no alternate of itself. */
  readonly format: string | undefined;
  /** True if the caller may replace the source file of a media. */
  readonly mayEditSource: boolean;
  readonly fieldTypes: FieldTypes;
}

/**
 * Returns the links of an entity to its targets, to the media of a node, to the file of a media, and to other
 * representations (spec: rest-behaviour, 6.2). Terms have none.
 */
export function islandoraLinks(
  { kind, bundle, head }: Content,
  around: Surroundings,
  { baseUrl, labelLanguage, format, mayEditSource, fieldTypes }: LinkContext,
): Link[] {
  const own = baseUrl + entityPath[kind.type](head.id);
  const links: Link[] = [];
  if (kind.type !== 'taxonomy_term') {
    for (const { field, target } of around.targets) {
      const definition = bundle.fieldNamed.get(field);
      if (definition && fieldTypes.of(definition).isRelated)
        links.push(linkTo(target, definition, baseUrl, labelLanguage));
    }
    for (const { id, uses } of around.media)
      for (const use of uses)
        if (use.externalUri?.startsWith(USE_URIS))
          links.push({
            href: baseUrl + entityPath.media(id),
            rel: 'related',
            title: use.label,
            language: use.language,
          });
    for (const [name, type] of DATA_FORMATS)
      if (name !== format) links.push({ href: `${own}?_format=${name}`, rel: 'alternate', type });
  }
  if (kind.type === 'media' && mayEditSource) links.push({ href: `${own}/source`, rel: 'edit-media' });
  if (around.file)
    links.push({ href: baseUrl + filePath(around.file.uri), rel: 'describes', type: around.file.filemime });
  return links;
}

function linkTo(target: Neighbour, { label }: FieldDefinition, baseUrl: string, labelLanguage: string): Link {
  const local = baseUrl + entityPath[target.type](target.id);
  if (target.type !== 'taxonomy_term') return { href: local, rel: 'related', title: label, language: labelLanguage };
  const { externalUri = local, label: title, language } = target;
  return { href: INNER_ADDRESS.test(externalUri) ? local : externalUri, rel: 'tag', title, language };
}
