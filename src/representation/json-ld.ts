import type { FieldTypes } from '../field-types/field-type.ts';
import { iriOf, plainLiteral, type RdfValue } from '../field-types/rdf.ts';
import type { ContentModel, EntityType, FieldDefinition, Item, RdfField } from '../model/content-model.ts';
import { expandIri } from '../model/parse-rdf.ts';
import { entityPath, filePath } from '../paths.ts';
import { definitionOf } from '../repository/content/check-values.ts';
import type { ParsedContent } from '../repository/content/content.ts';
import type { Surroundings } from '../repository/content/surroundings.ts';
import type { FileEntity } from '../repository/files/find-file.ts';

const SAME_AS = ['http://schema.org/sameAs'];
const DESCRIBED_BY = ['http://www.iana.org/assignments/relation/describedby'];
/** The references whose targets say, with their URI, what kind of thing an entity is. */
const TYPE_FIELDS: Readonly<Record<string, string>> = { node: 'field_model', media: 'field_media_use' };
const ABSOLUTE = /^[A-Za-z][A-Za-z0-9+.-]*:./;

/** What a graph is made from, besides the content. */
export interface GraphSource {
  readonly baseUrl: string;
  readonly model: ContentModel;
  readonly fieldTypes: FieldTypes;
}

/** What the fields of one entity are said with. */
interface Saying extends GraphSource {
  readonly graph: Graph;
  readonly around: Surroundings;
  readonly url: string;
  readonly language: string;
  /** The classes of whatever the caller may view, by path. */
  readonly typesAt: ReadonlyMap<string, Types>;
}

/**
 * Content as JSON-LD text (spec: rest-behaviour, 7): what its mapped fields say, then each entity that they refer
 * to with its classes. Of targets that the caller may not view the address alone is told, as in JSON.
 */
export function contentJsonLd(content: ParsedContent, source: GraphSource, around: Surroundings): string {
  const { kind, bundle, head, members } = content;
  const { baseUrl, model } = source;
  const url = baseUrl + entityPath[kind.type](head.id);
  const file = kind.type === 'media' ? around.file : undefined;
  const mapping = model.rdf.mappings[kind.type].get(bundle.name);
  const graph = createGraph(
    file ? baseUrl + filePath(file.uri) : url,
    withUris(typesOf(source, kind.type, bundle.name), kind.type, around),
  );
  if (mapping !== undefined) {
    const language = String(members.langcode?.[0]?.value ?? model.defaultLanguage);
    const saying: Saying = { ...source, graph, around, url, language, typesAt: findTypes(source, around) };
    for (const name in members) {
      const field = mapping.fields.get(name);
      const definition = field && definitionOf(content, name);
      if (definition === undefined) continue;
      for (const item of members[name] as Item[]) sayItem(saying, field as RdfField, definition, item);
    }
  }
  if (kind.type === 'node') graph.say(SAME_AS, { '@id': url });
  if (file) graph.say(DESCRIBED_BY, { '@id': url });
  return graph.toJson();
}

/** The record of a file as JSON-LD text; `uri` stands beside the graph, as clients know it. */
export function fileJsonLd({ row }: Pick<FileEntity, 'row'>, baseUrl: string): string {
  const url = baseUrl + filePath(row.uri);
  return JSON.stringify({
    '@graph': [{ '@id': url, '@type': ownType(baseUrl, 'file', 'file') }],
    uri: [{ value: url }],
  });
}

function sayItem(saying: Saying, field: RdfField, definition: FieldDefinition, item: Item): void {
  const { graph } = saying;
  const { predicates, callback } = field;
  if (callback === 'node_url') graph.say(predicates, plainLiteral(saying.url));
  else if (callback === 'thumbnail_url') {
    const thumbnail = thumbnailOf(saying, item);
    if (thumbnail !== undefined) graph.say(predicates, plainLiteral(thumbnail));
  } else if (item.target_id !== undefined) sayReference(saying, field, definition, item);
  else {
    const request = { definition, callback, language: saying.language };
    for (const value of saying.fieldTypes.of(definition).rdf(item, request)) graph.say(predicates, value);
  }
}

/** A reference, and the role of its target. Configuration is not part of graphs: it has no address. */
function sayReference(
  { graph, typesAt, baseUrl, model, fieldTypes }: Saying,
  { predicates }: RdfField,
  definition: FieldDefinition,
  item: Item,
): void {
  const { target_id, target_type } = item;
  const type = target_type as EntityType;
  if (type === 'file') {
    const id = baseUrl + String(item.url);
    graph.say(predicates, { '@id': id });
    graph.mention(id, ownType(baseUrl, 'file', 'file'));
    return;
  }
  if (typeof target_id !== 'number' || !Object.hasOwn(entityPath, type)) return;
  const path = entityPath[type](target_id);
  const id = baseUrl + path;
  graph.say(predicates, { '@id': id });
  const role = fieldTypes.of(definition).role(item);
  if (role !== undefined) {
    const predicate = expandIri(model.rdf.prefixes, role);
    if (ABSOLUTE.test(predicate)) graph.say([iriOf(predicate)], { '@id': id });
  }
  const types = type === 'user' ? typesOf({ baseUrl, model }, 'user', 'user') : typesAt.get(path);
  if (types !== undefined) graph.mention(id, types);
}

/** A media of an image is its own thumbnail: the address of its file. */
function thumbnailOf({ around, baseUrl, model }: Saying, { target_id }: Item): string | undefined {
  for (const { target } of around.targets) {
    const isThat = target.type === 'media' && target.id === target_id && isImage(model, target.bundle);
    if (isThat && 'file' in target && target.file) return baseUrl + filePath(target.file.uri);
  }
  return undefined;
}

function isImage({ mediaTypes }: ContentModel, bundle: string): boolean {
  return mediaTypes.get(bundle)?.source === 'image';
}

function findTypes(source: GraphSource, { targets }: Surroundings): Map<string, Types> {
  return new Map(
    targets.map(({ target: { type, id, bundle } }) => [entityPath[type](id), typesOf(source, type, bundle)]),
  );
}

function typesOf({ baseUrl, model }: Pick<GraphSource, 'baseUrl' | 'model'>, type: EntityType, bundle: string): Types {
  return model.rdf.mappings[type].get(bundle)?.types ?? ownType(baseUrl, type, bundle);
}

/** The class of what has no mapping. */
function ownType(baseUrl: string, type: EntityType, bundle: string): string {
  return `${baseUrl}/rest/type/${type}/${bundle}`;
}

/** Classes with the URIs of the terms that say what kind of thing this is. */
function withUris(types: Types, type: EntityType, { targets }: Surroundings): Types {
  const uris = targets.flatMap(({ field, target }) =>
    field === TYPE_FIELDS[type] && target.externalUri !== undefined ? iriOf(target.externalUri) : [],
  );
  return uris.length === 0 ? types : [...new Set([types, uris].flat())];
}

/** The classes of a resource: a list, or the one name that stands for a bundle without a mapping. */
export type Types = readonly string[] | string;

/** A graph in the making: one resource that things are said of, and those that it refers to. */
export interface Graph {
  /** Says something of the subject. The same reference under the same predicate stands there once. */
  say(predicates: readonly string[], value: RdfValue): void;
  /** Names a resource and its classes, the first time that it is mentioned. */
  mention(id: string, types: Types): void;
  /** As JSON-LD, without a context. */
  toJson(): string;
}

type Member = { '@id': string; '@type': Types } & Record<string, RdfValue[] | Types>;

/** Starts the graph of a subject. */
export function createGraph(id: string, types: Types): Graph {
  const subject: Member = { '@id': id, '@type': types };
  const values = new Map<string, RdfValue[]>();
  const references = new Set<string>();
  const mentioned = new Map<string, { '@id': string; '@type': Types }>([[id, subject]]);

  return {
    say(predicates, value) {
      for (const predicate of predicates) {
        if ('@id' in value) {
          const reference = `${predicate} ${value['@id']}`;
          if (references.has(reference)) continue;
          references.add(reference);
        }
        const known = values.get(predicate);
        if (known === undefined) values.set(predicate, [value]);
        else known.push(value);
      }
    },
    mention(id, types) {
      if (!mentioned.has(id)) mentioned.set(id, { '@id': id, '@type': types });
    },
    toJson() {
      for (const [predicate, list] of values) subject[predicate] = list;
      return JSON.stringify({ '@graph': [...mentioned.values()] });
    },
  };
}
