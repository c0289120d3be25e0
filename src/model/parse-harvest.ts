import type { Static } from '@sinclair/typebox';
import { nameOf } from '../base/check-shape.ts';
import type { ConfigReader } from '../base/config-reader.ts';
import { BASE_FIELD_NAMES } from './base-field-names.ts';
import type { NodeType } from './content-model.ts';
import { DUBLIN_CORE, type ElementTemplate, type HarvestFormat, type HarvestModel } from './harvest-model.ts';
import { HarvestFormatSchema, HarvestSchema, HarvestTableSchema } from './harvest-schema.ts';
import { parseContent, parseTemplates, type TemplateScope } from './parse-harvest-template.ts';
import { expandIri } from './parse-rdf.ts';

type Entries = Readonly<Record<string, unknown>>;

/** The parts of the model that formats refer to. */
interface HarvestContext {
  readonly nodeTypes: ReadonlyMap<string, NodeType>;
  /** The prefixes of predicates. */
  readonly prefixes: ReadonlyMap<string, string>;
}

/** Values of `metadataPrefix` (OAI-PMH 2.0, 3.4). */
const METADATA_PREFIX = /^[A-Za-z0-9_.!~*'()-]+$/;
/** The media type of formats without one of their own (RFC 7303). */
const XML_TYPE = 'application/xml';
const XML_PREFIX = /^(?!xml)[A-Za-z_][A-Za-z0-9_.-]*$/i;

/** Reads the formats of harvesters (config/harvest.yaml). */
export function parseHarvest(reader: ConfigReader, value: unknown, context: HarvestContext): HarvestModel {
  const path = ['harvest'];
  const file = reader.map(HarvestSchema, value, path) as Partial<Static<typeof HarvestSchema>>;
  const tables = new Map(
    Object.entries((file.tables ?? {}) as Entries).map(([name, table]) => {
      const words = reader.map(HarvestTableSchema, table, [...path, 'tables', name]);
      return [name, new Map(Object.entries(words as Record<string, string>))];
    }),
  );
  const given = Object.entries((file.formats ?? {}) as Entries);
  const formats = given.map(([prefix, format]) =>
    parseFormat({ reader, tables, prefixes: new Set() }, prefix, format, context),
  );
  if (!given.some(([prefix]) => prefix === DUBLIN_CORE))
    reader.report(
      [...path, 'formats', DUBLIN_CORE],
      `harvest.formats.${DUBLIN_CORE} cannot be removed: OAI-PMH requires it`,
    );
  return {
    nodeTypes: parseNodeTypes(reader, file.node_types ?? [], context),
    formats: new Map(formats.map((format) => [format.prefix, format])),
  };
}

/** Drops built-in names of removed node types. */
function parseNodeTypes(reader: ConfigReader, names: readonly string[], { nodeTypes }: HarvestContext): Set<string> {
  const isBuiltIn = reader.isBuiltIn(['harvest', 'node_types']);
  return new Set(
    names.filter((name, index) => {
      const isKnown = nodeTypes.has(name);
      if (!isKnown && !isBuiltIn)
        reader.reportUnknown(['harvest', 'node_types', String(index)], 'node type', name, nodeTypes.keys());
      return isKnown;
    }),
  );
}

function parseFormat(scope: TemplateScope, prefix: string, value: unknown, context: HarvestContext): HarvestFormat {
  const { reader } = scope;
  const path = ['harvest', 'formats', prefix];
  if (!METADATA_PREFIX.test(prefix))
    reader.report(path, `${nameOf(path)}: a metadataPrefix has only letters, digits and -_.!~*'()`);
  const file = reader.map(HarvestFormatSchema, value, path) as Partial<Static<typeof HarvestFormatSchema>>;
  const namespaces = new Map(Object.entries(file.namespaces ?? {}));
  for (const each of namespaces.keys()) {
    const at = [...path, 'namespaces', each];
    if (!XML_PREFIX.test(each)) reader.report(at, `${nameOf(at)}: "${each}" is no prefix of a namespace`);
  }
  const own: TemplateScope = { ...scope, prefixes: new Set(namespaces.keys()) };
  const [elementPrefix, local] = (file.element ?? '').split(':');
  if (local !== undefined && !namespaces.has(elementPrefix ?? ''))
    reader.reportUnknown([...path, 'element'], 'namespace', elementPrefix ?? '', namespaces.keys());
  return {
    prefix,
    element: file.element ?? '',
    namespace: file.namespace ?? '',
    schema: file.schema ?? '',
    mediaType: file.media_type ?? XML_TYPE,
    namespaces,
    attributes: new Map(Object.entries(file.attributes ?? {})),
    merged: new Set(file.merged ?? []),
    single: new Set(file.single ?? []),
    ...parseEntries(own, (file.elements ?? {}) as Entries, [...path, 'elements'], context),
    files: file.files === undefined ? [] : parseTemplates(own, file.files, [...path, 'files']),
    access: file.access === undefined ? [] : parseTemplates(own, file.access, [...path, 'access']),
    defaults: new Map(
      Object.entries((file.defaults ?? {}) as Entries).map(([name, content]) => [
        name,
        parseContent(own, name, content, [...path, 'defaults', name]),
      ]),
    ),
  };
}

/** Reads the templates of fields, whose names have no colon, and of predicates. */
function parseEntries(
  scope: TemplateScope,
  entries: Entries,
  path: readonly string[],
  { nodeTypes, prefixes }: HarvestContext,
): Pick<HarvestFormat, 'byField' | 'byPredicate'> {
  const { reader } = scope;
  const fields = new Set([...BASE_FIELD_NAMES.node, ...Array.from(nodeTypes.values(), fieldNames).flat()]);
  const byField = new Map<string, readonly ElementTemplate[]>();
  const byPredicate = new Map<string, readonly ElementTemplate[]>();
  for (const [key, value] of Object.entries(entries)) {
    const at = [...path, key];
    const templates = parseTemplates(scope, value, at);
    if (key.includes(':')) byPredicate.set(expandIri(prefixes, key), templates);
    else if (fields.has(key)) byField.set(key, templates);
    // A field that the user's file removes.
    else if (!reader.isBuiltIn(at)) reader.reportUnknown(at, 'field', key, fields);
  }
  return { byField, byPredicate };
}

const fieldNames = ({ fieldNamed }: NodeType) => [...fieldNamed.keys()];
