import mime from 'mime';
import { datePrecision } from '../../field-types/first-date.ts';
import type { AccessRights } from '../../model/access-rules.ts';
import { accessWords } from '../../model/access-vocabulary.ts';
import type { ContentModel, FieldValues } from '../../model/content-model.ts';
import { entityPath, pathOf } from '../../paths.ts';
import type { ParsedContent } from '../../repository/content/content.ts';
import type { ParentModels } from '../../repository/content/lists/find-showable.ts';
import type { Surroundings } from '../../repository/content/read/surroundings.ts';
import { MEMBER_OF } from '../../repository/relations.ts';
import { inLanguage, proseIn } from './language-map.ts';
import { type Description, type DescriptionSource, describeNode } from './metadata.ts';
import { type Resource, resourceTypeOf } from './resource.ts';

/** The site that publishes items. */
export interface SiteSource extends DescriptionSource {
  readonly siteName: string;
  readonly model: Pick<ContentModel, 'models'>;
  /** Scheme, host and path, without a slash at the end. */
  readonly baseUrl: string;
  readonly logo: { readonly path: string; readonly width: number; readonly height: number } | undefined;
}

/** A node with the texts that describe it. */
export interface NodeSource {
  readonly content: ParsedContent;
  readonly around: Surroundings;
  readonly parentModels: ParentModels;
  /** What access rules close of the node; undefined for nothing. */
  readonly access: AccessRights | undefined;
}

/** The fields of dates, the most telling first. */
const DATES = ['field_edtf_date_issued', 'field_edtf_date_created', 'field_edtf_date'];
const PLAIN_DATE = /^(?!0000)\d{4}(?:-\d\d){0,2}$/;

/** Returns the members that describe an item as a whole, the same in manifests and collections. */
export function itemFacts({ content, around, parentModels, access }: NodeSource, source: SiteSource): Resource {
  const { id } = content.head;
  const title = String(content.members.title?.[0]?.value ?? '');
  const { baseUrl, labelLanguage } = source;
  const described = describeNode(content, around, source);
  const parents = around.targets.filter(({ field, target }) => field === MEMBER_OF && target.type === 'node');
  const node = baseUrl + entityPath.node(id);
  return {
    label: inLanguage(described.language, title),
    summary: described.summary && proseIn(described.language, described.summary),
    metadata: described.metadata.length > 0 ? described.metadata : undefined,
    ...rightsOf(described, access),
    navDate: certainDate(content.members),
    provider: [providerOf(source)],
    homepage: [{ id: node, type: 'Text', label: inLanguage(described.language, title), format: 'text/html' }],
    seeAlso: [
      {
        id: `${node}?_format=jsonld`,
        type: 'Dataset',
        label: inLanguage(labelLanguage, 'Metadata as JSON-LD'),
        format: 'application/ld+json',
      },
    ],
    partOf:
      parents.length === 0
        ? undefined
        : parents.map(({ target }) => ({
            id: baseUrl + pathOf('nodeManifest', { node: target.id }),
            type: resourceTypeOf(source.model, parentModels.get(target.id)),
            label: inLanguage(target.language, target.label),
          })),
  };
}

/** The language of sentences of this program. */
const OWN_LANGUAGE = 'en';
const ACCESS_LABEL = inLanguage(OWN_LANGUAGE, 'Access');

/** Returns the rights of an item, with what access rules close of it: viewers show both. */
function rightsOf({ rights, language }: Description, access: AccessRights | undefined): Resource {
  if (rights === undefined && access === undefined) return {};
  const words = access === undefined ? [] : accessWords(access);
  const texts = rights?.texts ?? [];
  const isOne = language === OWN_LANGUAGE || words.length === 0;
  const value = isOne
    ? proseIn(language, ...texts, ...words)
    : { ...(texts.length > 0 && proseIn(language, ...texts)), ...proseIn(OWN_LANGUAGE, ...words) };
  return {
    rights: rights && rightsIn(rights.values),
    requiredStatement: { label: rights?.label ?? ACCESS_LABEL, value },
  };
}

function providerOf({ baseUrl, siteName, labelLanguage, logo }: SiteSource): Resource {
  const label = inLanguage(labelLanguage, siteName);
  const home = `${baseUrl}/`;
  const homepage = [{ id: home, type: 'Text', label, format: 'text/html' }];
  return { id: home, type: 'Agent', label, homepage, logo: logo && [logoOf(logo, baseUrl)] };
}

function logoOf({ path, width, height }: NonNullable<SiteSource['logo']>, baseUrl: string): Resource {
  return { id: baseUrl + path, type: 'Image', format: mime.getType(path) ?? undefined, width, height };
}

/** Returns the first day of the only date of an item, if its year is certain. */
function certainDate(members: FieldValues): string | undefined {
  const [dates = []] = DATES.map((name) => members[name] ?? []).filter((items) => items.length > 0);
  const [only, ...others] = dates;
  const date = typeof only?.value === 'string' ? only.value : '';
  if (others.length > 0 || !PLAIN_DATE.test(date) || datePrecision(date) === undefined) return undefined;
  return `${date}${'-01'.repeat(3 - date.split('-').length)}T00:00:00Z`;
}

const CREATIVE_COMMONS =
  /\bhttps?:\/\/(?:www\.)?(creativecommons\.org\/(?:licenses|publicdomain)\/[a-z+-]+\/\d+\.\d+(?:\/[a-z]{2,3})?)(?![\w])/i;
const STATEMENT = /\bhttps?:\/\/(?:www\.)?(rightsstatements\.org\/)(?:vocab|page)(\/[A-Za-z-]+\/\d+\.\d+)/i;

/**
 * Returns the address of the first license or statement in texts, as Creative Commons and RightsStatements.org write it:
 * the only ones that the Presentation API accepts (3.0, 3.1 "rights").
 */
export function rightsIn(texts: readonly string[]): string | undefined {
  for (const text of texts) {
    const license = CREATIVE_COMMONS.exec(text)?.[1];
    if (license !== undefined) return `http://${license.toLowerCase()}/`;
    const [, host, statement] = STATEMENT.exec(text) ?? [];
    if (host !== undefined) return `http://${host.toLowerCase()}vocab${statement}/`;
  }
  return undefined;
}
