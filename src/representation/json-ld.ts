import type { FieldTypes } from '../field-types/field-type.ts';
import { iriOf, plainLiteral, type RdfValue } from '../field-types/rdf.ts';
import type { AccessRights } from '../model/access-rules.ts';
import { accessStatement } from '../model/access-vocabulary.ts';
import type { ContentModel, EntityType, FieldDefinition, Item, RdfField } from '../model/content-model.ts';
import { expandIri } from '../model/parse-rdf.ts';
import { entityPath, filePath } from '../paths.ts';
import type { ParsedContent } from '../repository/content/content.ts';
import { definitionOf } from '../repository/content/kinds.ts';
import type { Surroundings } from '../repository/content/read/surroundings.ts';
import type { FileEntity } from '../repository/files/find-file.ts';

const SAME_AS = ['http://schema.org/sameAs'];
const DESCRIBED_BY = ['http://www.iana.org/assignments/relation/describedby'];
const ACCESS_RIGHTS = ['http://purl.org/dc/terms/accessRights'];
const AVAILABLE = ['http://purl.org/dc/terms/available'];
const XSD_DATE = 'http://www.w3.org/2001/XMLSchema#date';
/** The fields whose targets add their URIs to the classes of an entity. */
const TYPE_FIELDS: Readonly<Record<string, string>> = { node: 'field_model', media: 'field_media_use' };
const ABSOLUTE = /^[A-Za-z][A-Za-z0-9+.-]*:./;

/** The configuration of a graph. */
interface GraphSource {
  readonly baseUrl: string;
  readonly model: ContentModel;
  readonly fieldTypes: FieldTypes;
}

/** The context in which the fields of an entity are mapped. */
interface Mapping extends GraphSource {
  readonly graph: Graph;
  readonly around: Surroundings;
  readonly url: string;
  readonly language: string;
  /** The classes of the entities that the caller may view, by path. */
  readonly typesAt: ReadonlyMap<string, Types>;
}

/**
 * Returns content as JSON-LD text (spec: rest-behaviour, 7): its mapped fields, then each target with its classes.
 * Targets that the caller may not view appear as an address only, as in JSON. `rights` is what access rules close.
 */
export function contentJsonLd(
  content: ParsedContent,
  source: GraphSource,
  around: Surroundings,
  rights?: AccessRights,
): string {
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
    const context: Mapping = { ...source, graph, around, url, language, typesAt: findTypes(source, around) };
    for (const name in members) {
      const field = mapping.fields.get(name);
      const definition = field && definitionOf(content, name);
      if (definition === undefined) continue;
      for (const item of members[name] as Item[]) addItem(context, field as RdfField, definition, item);
    }
  }
  if (kind.type === 'node') graph.add(SAME_AS, { '@id': url });
  if (file) graph.add(DESCRIBED_BY, { '@id': url });
  if (rights !== undefined) addRights(graph, rights);
  return graph.toJson();
}

function addRights(graph: Graph, rights: AccessRights): void {
  const { coar, until } = accessStatement(rights);
  graph.add(ACCESS_RIGHTS, { '@id': coar });
  if (until !== undefined) graph.add(AVAILABLE, { '@value': until, '@type': XSD_DATE });
}

/** Returns the metadata of a file as JSON-LD text. Clients expect `uri` beside the graph. */
export function fileJsonLd({ row }: Pick<FileEntity, 'row'>, baseUrl: string): string {
  const url = baseUrl + filePath(row.uri);
  return JSON.stringify({
    '@graph': [{ '@id': url, '@type': ownType(baseUrl, 'file', 'file') }],
    uri: [{ value: url }],
  });
}

function addItem(context: Mapping, field: RdfField, definition: FieldDefinition, item: Item): void {
  const { graph } = context;
  const { predicates, callback } = field;
  if (callback === 'node_url') graph.add(predicates, plainLiteral(context.url));
  else if (callback === 'thumbnail_url') {
    const thumbnail = thumbnailOf(context, item);
    if (thumbnail !== undefined) graph.add(predicates, plainLiteral(thumbnail));
  } else if (item.target_id !== undefined) addReference(context, field, definition, item);
  else {
    const request = { definition, callback, language: context.language };
    for (const value of context.fieldTypes.of(definition).rdf(item, request)) graph.add(predicates, value);
  }
}

/** Adds a reference, and the role of its target. Skips references to configuration, which has no address. */
function addReference(
  { graph, typesAt, baseUrl, model, fieldTypes }: Mapping,
  { predicates }: RdfField,
  definition: FieldDefinition,
  item: Item,
): void {
  const { target_id, target_type } = item;
  const type = target_type as EntityType;
  if (type === 'file') {
    const id = baseUrl + String(item.url);
    graph.add(predicates, { '@id': id });
    graph.mention(id, ownType(baseUrl, 'file', 'file'));
    return;
  }
  if (typeof target_id !== 'number' || !Object.hasOwn(entityPath, type)) return;
  const path = entityPath[type](target_id);
  const id = baseUrl + path;
  graph.add(predicates, { '@id': id });
  const role = fieldTypes.of(definition).role(item);
  if (role !== undefined) {
    const predicate = expandIri(model.rdf.prefixes, role);
    if (ABSOLUTE.test(predicate)) graph.add([iriOf(predicate)], { '@id': id });
  }
  const types = type === 'user' ? typesOf({ baseUrl, model }, 'user', 'user') : typesAt.get(path);
  if (types !== undefined) graph.mention(id, types);
}

/** Returns the address of the file of an image media, which is its own thumbnail. */
function thumbnailOf({ around, baseUrl, model }: Mapping, { target_id }: Item): string | undefined {
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

/** Returns the class of an entity without a mapping. */
function ownType(baseUrl: string, type: EntityType, bundle: string): string {
  return `${baseUrl}/rest/type/${type}/${bundle}`;
}

/** Adds the URIs of the targets of `TYPE_FIELDS` to classes. */
function withUris(types: Types, type: EntityType, { targets }: Surroundings): Types {
  const uris = targets.flatMap(({ field, target }) =>
    field === TYPE_FIELDS[type] && target.externalUri !== undefined ? iriOf(target.externalUri) : [],
  );
  return uris.length === 0 ? types : [...new Set([types, uris].flat())];
}

/** The classes of a resource: a list, or one name for a bundle without a mapping. */
type Types = readonly string[] | string;

/** A graph of one resource and of those that it refers to. */
interface Graph {
  /** Adds a value of the subject. Skips a repeated reference under the same predicate. */
  add(predicates: readonly string[], value: RdfValue): void;
  /** Adds a resource with its classes, once. */
  mention(id: string, types: Types): void;
  /** Returns JSON-LD without a context. */
  toJson(): string;
}

type Member = { '@id': string; '@type': Types } & Record<string, RdfValue[] | Types>;

function createGraph(id: string, types: Types): Graph {
  const subject: Member = { '@id': id, '@type': types };
  const values = new Map<string, RdfValue[]>();
  const references = new Set<string>();
  const mentioned = new Map<string, { '@id': string; '@type': Types }>([[id, subject]]);

  return {
    add(predicates, value) {
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
