import { titleKeyOf } from '../../base/fold-text.ts';
import { indexedText } from '../../base/words.ts';
import { rightsOf } from '../../field-types/display/rights.tsx';
import type { Years } from '../../field-types/field-type.ts';
import type { FieldValues } from '../../model/content-model.ts';
import type { Facet, SearchColumn } from '../../model/search-model.ts';
import { MEMBER_OF } from '../relations.ts';
import { beginningOf } from '../title-words.ts';
import type { IndexModel } from './index-model.ts';

/** The number of characters of `title_key`. */
const TITLE_KEY_CHARS = 64;
/** Maximum number of decades of a date: a longer period counts in the first ones only. */
const MAX_DECADES = 100;

/** A node as the index sees it. */
export interface IndexedNode {
  readonly bundle: string;
  readonly title: string;
  readonly status: boolean;
  readonly ownerId: number;
  readonly created: number;
  readonly changed: number;
  readonly values: FieldValues;
  /** Returns the name of a published term; undefined for others. */
  readonly nameOf: (termId: number) => string | undefined;
  /** Returns the other names of a published term, one in each line. */
  readonly otherNamesOf: (termId: number) => string | undefined;
  /** Returns true if a referenced node exists. */
  readonly hasNode: (nid: number) => boolean;
}

/** The facts about the media of a node. */
export interface MediaOfNode {
  readonly hasText: boolean;
  /** The MIME types of its files that are no derivatives. */
  readonly fileTypes: ReadonlySet<string>;
}

/** The values of a facet: numbers, or texts that get a number. */
export type FacetGroup = readonly [facet: number, values: readonly (number | string)[]];

/** The description of a node without the text of its media. */
interface NodeDescription {
  readonly columns: Readonly<Record<Exclude<SearchColumn, 'fulltext'>, string>>;
  readonly titleKey: string;
  readonly years: Years | undefined;
  readonly collections: readonly number[];
  readonly facets: readonly FacetGroup[];
}

/** Describes a node for the index. */
export function describeNode(model: IndexModel, node: IndexedNode, media: MediaOfNode): NodeDescription {
  const { bundle, values, nameOf, otherNamesOf } = node;
  const texts: Record<'subject' | 'creator' | 'identifier' | 'text', string[]> = {
    ...{ subject: [], creator: [], identifier: [], text: [] },
  };
  const yearsOf = new Map<string, Years>();
  for (const { definition, type, column, hasTerms } of model.fieldsOf.get(bundle) ?? []) {
    const items = values[definition.name];
    if (items === undefined || items.length === 0) continue;
    const words = texts[column];
    for (const item of items) {
      const text = hasTerms ? nameOf(Number(item.target_id)) : type.searchText(item, definition);
      if (text !== undefined) words.push(text);
      const otherNames = hasTerms ? otherNamesOf(Number(item.target_id)) : undefined;
      if (otherNames !== undefined) words.push(otherNames);
      if (!type.hasYears) continue;
      const years = type.years(item);
      if (years === undefined) continue;
      if (!yearsOf.has(definition.name)) yearsOf.set(definition.name, years);
      words.push(String(years.from));
      if (years.to !== years.from) words.push(String(years.to));
    }
  }
  const years = model.dates.map((name) => yearsOf.get(name)).find((value) => value !== undefined);
  const collections = nodesIn(node, MEMBER_OF);
  const facets = model.facets.flatMap((facet, number): FacetGroup[] => {
    const values = facetValues(facet, model, node, { media, years, collections });
    return values.length === 0 ? [] : [[number, [...new Set(values)]]];
  });
  // Searches need the parents of pages, also on a site without a facet of them.
  if (collections.length > 0 && !model.facets.some(({ kind }) => kind === 'collection'))
    facets.push([model.facets.length, [...new Set(collections)]]);
  return {
    columns: {
      title: indexedText(node.title),
      subject: columnOf(texts.subject),
      creator: columnOf(texts.creator),
      identifier: columnOf(texts.identifier),
      text: columnOf(texts.text),
    },
    titleKey: beginningOf(titleKeyOf(node.title).trim(), TITLE_KEY_CHARS),
    years,
    collections,
    facets,
  };
}

/** Each value on its own: no word continues in the next one. */
function columnOf(values: readonly string[]): string {
  return values.map(indexedText).join('\n');
}

interface DerivedFacts {
  readonly media: MediaOfNode;
  readonly years: Years | undefined;
  readonly collections: readonly number[];
}

function facetValues(
  { kind, fields }: Facet,
  { fieldsOf }: IndexModel,
  node: IndexedNode,
  { media, years, collections }: DerivedFacts,
): readonly (number | string)[] {
  switch (kind) {
    case 'reference':
      return fields.flatMap((field) =>
        isOfTerms(fieldsOf, node, field) ? termsIn(node, field) : nodesIn(node, field),
      );
    case 'agent':
      return fields.flatMap((field) => agentsIn(fieldsOf, node, field));
    case 'rights':
      return fields.flatMap((field) => rightsIn(node, field));
    case 'collection':
      return collections;
    case 'decade':
      return decadesOf(years);
    case 'full_text':
      return media.hasText ? [1] : [];
    case 'file_type':
      return [...media.fileTypes];
    case 'bundle':
      return [node.bundle];
    default:
      return kind satisfies never;
  }
}

/** Returns the agents of a field with their roles: `relators:aut|45`. */
function agentsIn(fieldsOf: IndexModel['fieldsOf'], node: IndexedNode, field: string): string[] {
  const type = fieldsOf.get(node.bundle)?.find(({ definition }) => definition.name === field)?.type;
  return (node.values[field] ?? [])
    .filter(({ target_id }) => node.nameOf(Number(target_id)) !== undefined)
    .map((item) => `${type?.role(item) ?? ''}|${item.target_id}`);
}

/** Returns the names of the statements and licences of a field. Its other texts are of one item each. */
function rightsIn({ values }: IndexedNode, field: string): string[] {
  const texts = (values[field] ?? []).map(({ value, uri }) => String(value ?? uri ?? ''));
  return texts.flatMap((text) => rightsOf(text)?.name ?? []);
}

function isOfTerms(fieldsOf: IndexModel['fieldsOf'], { bundle }: IndexedNode, field: string): boolean {
  return fieldsOf.get(bundle)?.some(({ definition, hasTerms }) => hasTerms && definition.name === field) ?? false;
}

function termsIn({ values, nameOf }: IndexedNode, field: string): number[] {
  return (values[field] ?? []).map(({ target_id }) => Number(target_id)).filter((id) => nameOf(id) !== undefined);
}

function nodesIn({ values, hasNode }: IndexedNode, field: string): number[] {
  return (values[field] ?? []).map(({ target_id }) => Number(target_id)).filter((id) => id > 0 && hasNode(id));
}

/** Returns the decades of a period. Years before 1 have none: the values of facets are unsigned. */
function decadesOf(years: Years | undefined): number[] {
  if (years === undefined || years.to < 1) return [];
  const first = Math.floor(Math.max(years.from, 0) / 10) * 10;
  const count = Math.min(MAX_DECADES, Math.floor((years.to - first) / 10) + 1);
  return Array.from({ length: count }, (_, index) => first + 10 * index);
}
