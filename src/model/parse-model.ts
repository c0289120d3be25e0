import { hash } from 'bun';
import { nameOf } from '../base/check-shape.ts';
import { type ConfigReader, createConfigReader } from '../base/config-reader.ts';
import { mergeFiles, type Tree } from '../base/merge-files.ts';
import type { YamlFile } from '../base/yaml-file.ts';
import { parseAccessPresets } from './access-presets.ts';
import type { Bundle, ContentModel, FieldDefinition, Item } from './content-model.ts';
import type { FieldFacts, FieldScope } from './field-facts.ts';
import { ListSchema, MODEL_MERGE_RULE, ModelFileSchema } from './model-schema.ts';
import { checkSharedStorage, parseBundle, parseNodeType, parseParagraphType, parseVocabulary } from './parse-bundle.ts';
import { parseHarvest } from './parse-harvest.ts';
import { parseItemModels } from './parse-item-models.ts';
import { parseMediaType } from './parse-media-type.ts';
import { parseRdf } from './parse-rdf.ts';
import { parseRoles } from './parse-roles.ts';
import { parseSearch } from './parse-search.ts';
import { parseSignposting } from './parse-signposting.ts';
import { parseViews } from './parse-views.ts';
import { knownPermissions } from './permissions.ts';
import { parseRest } from './rest.ts';
import { parseTextFormat } from './text-format.ts';

/** A subset of RFC 5646: a language with an optional script and region. */
const LANGUAGE_CODE = /^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}$/;

type Entries = Readonly<Record<string, unknown>>;

/** The facts about the program with which a content model is checked. Missing facts are not checked. */
export interface ModelSurroundings {
  /** Returns true if a route of the program has this path. */
  isOwnPath?(path: string): boolean;
  /** The configured storage schemes. */
  readonly schemes?: ReadonlySet<string>;
  readonly fieldTypes: ReadonlyMap<string, FieldFacts>;
  /** Returns the reason why an item cannot be a default of a field. */
  refusedDefault?(item: Item, definition: FieldDefinition, texts: TextSettings): string | undefined;
}

/** The languages and formats of texts. */
interface TextSettings {
  readonly languages: readonly string[];
  readonly textFormats: ReadonlySet<string>;
}

/**
 * Returns the checked content model of the default files with the user's file merged over them. Throws `ConfigError`
 * with every problem of all files.
 */
export function parseModel(
  defaults: readonly YamlFile[],
  user: YamlFile | undefined,
  { isOwnPath = () => false, schemes, refusedDefault, fieldTypes }: ModelSurroundings,
): ContentModel {
  const layers = mergeFiles(defaults, user, MODEL_MERGE_RULE);
  const reader = createConfigReader(layers);
  const file = reader.map(ModelFileSchema, layers.value, []);
  const entries = (key: keyof typeof file): Entries => (file[key] ?? {}) as Entries;
  const languages = readLanguages(reader, file.languages ?? [], file.default_language);
  const lists = reader.eachNamed(entries('lists'), ['lists'], (_name, list, path) => {
    return reader.map(ListSchema, list, path) as Record<string, string>;
  });
  const textFormats = reader.eachNamed(entries('text_formats'), ['text_formats'], (name, value, path) =>
    parseTextFormat(reader, name, value, path),
  );
  const texts: TextSettings = { languages, textFormats: new Set(textFormats.keys()) };
  const namesIn = (key: keyof typeof file) => new Set(Object.keys(entries(key)));
  const [node, media, taxonomy_term] = [namesIn('node_types'), namesIn('media_types'), namesIn('vocabularies')];
  const paragraph = namesIn('paragraph_types');
  const scope: FieldScope = {
    lists,
    bundles: { node, media, taxonomy_term, paragraph, file: new Set(), user: new Set() },
    configNames: {
      node_type: node,
      media_type: media,
      taxonomy_vocabulary: taxonomy_term,
      paragraphs_type: paragraph,
      user_role: namesIn('roles'),
    },
    languages,
    fieldTypes,
    refusedDefault: (item, definition) => refusedDefault?.(item, definition, texts),
    schemes,
  };
  if (file.fallback_format !== undefined && !textFormats.has(file.fallback_format)) {
    reader.reportUnknown(['fallback_format'], 'text format', file.fallback_format, textFormats.keys(), 'text_formats');
  }
  const nodeTypes = reader.eachNamed(entries('node_types'), ['node_types'], (name, value, path) =>
    parseNodeType(reader, scope, name, value, path),
  );
  const mediaTypes = onlyKnown(
    reader.eachNamed(entries('media_types'), ['media_types'], (name, value, path) =>
      parseMediaType(reader, scope, name, value, path),
    ),
  );
  const terms = entries('terms');
  const vocabularies = reader.eachNamed(entries('vocabularies'), ['vocabularies'], (name, value, path) =>
    parseVocabulary(reader, scope, name, value, path, terms),
  );
  const paragraphTypes = reader.eachNamed(entries('paragraph_types'), ['paragraph_types'], (name, value, path) =>
    parseParagraphType(reader, scope, name, value, path),
  );
  reportStrayTerms(reader, terms, scope.bundles.taxonomy_term);
  const userBundle: Bundle = parseBundle(
    reader,
    scope,
    'user',
    'user',
    { label: 'User', fields: { ...entries('user_fields') } },
    ['user_fields'],
  );
  checkSharedStorage(reader, nodeTypes.values(), 'node_types');
  checkSharedStorage(reader, mediaTypes.values(), 'media_types');
  checkSharedStorage(reader, vocabularies.values(), 'vocabularies');
  checkSharedStorage(reader, paragraphTypes.values(), 'paragraph_types');
  const known = knownPermissions({
    nodeTypes: scope.bundles.node,
    mediaTypes: scope.bundles.media,
    vocabularies: scope.bundles.taxonomy_term,
    paragraphTypes: scope.bundles.paragraph,
    textFormats: textFormats.keys(),
  });
  const roles = parseRoles(reader, entries('roles'), known);
  const accessPresets = parseAccessPresets(reader, entries('access_presets'), roles);
  const rest = parseRest(reader, entries('rest'), restResources(defaults));
  const content = [...nodeTypes.values(), ...mediaTypes.values(), ...vocabularies.values()];
  const rdf = parseRdf(reader, entries('rdf'), [...content, userBundle]);
  const signposting = parseSignposting(reader, entries('signposting'), { bundles: content, fieldTypes });
  const harvest = parseHarvest(reader, entries('harvest'), { nodeTypes, prefixes: rdf.prefixes });
  const views = parseViews(reader, entries('views'), {
    bundles: { node: nodeTypes, media: mediaTypes, taxonomy_term: vocabularies },
    permissions: known,
    fieldTypes,
    isOwnPath,
  });
  const search = parseSearch(reader, entries('search'), { nodeTypes: nodeTypes.values(), fieldTypes });
  const models = parseItemModels(reader, entries('models'), scope.bundles.media);
  reader.finish();
  const model = {
    defaultLanguage: file.default_language ?? '',
    languages,
    textFormats,
    fallbackFormat: file.fallback_format ?? '',
    nodeTypes,
    mediaTypes,
    vocabularies,
    paragraphTypes,
    userBundle,
    roles,
    accessPresets,
    rest,
    rdf,
    signposting,
    harvest,
    views,
    search,
    models,
  };
  return { ...model, fingerprint: fingerprintOf(model, terms) };
}

function readLanguages(
  reader: ConfigReader,
  languages: readonly string[],
  byDefault: string | undefined,
): readonly string[] {
  for (const [index, code] of Object.entries(languages)) {
    const at = ['languages', index];
    if (!LANGUAGE_CODE.test(code)) {
      reader.report(at, `${nameOf(at)} must be a language code, such as en or pt-BR, found "${code}"`);
    } else if (languages.indexOf(code) !== Number(index)) {
      reader.report(at, `${nameOf(at)}: "${code}" is listed twice`);
    }
  }
  if (byDefault !== undefined && languages.length > 0 && !languages.includes(byDefault)) {
    const changed = reader.isBuiltIn(['default_language']) ? ['languages'] : ['default_language'];
    reader.report(changed, `default_language must be one of languages (${languages.join(', ')}), found "${byDefault}"`);
  }
  return languages;
}

/** Reports terms of unknown vocabularies. Built-in terms of a removed vocabulary are dropped. */
function reportStrayTerms(reader: ConfigReader, terms: Entries, vocabularies: ReadonlySet<string>): void {
  for (const name of Object.keys(terms)) {
    const path = ['terms', name];
    if (!vocabularies.has(name) && !reader.isBuiltIn(path)) {
      reader.reportUnknown(path, 'vocabulary', name, vocabularies);
    }
  }
}

/** Returns the names of all resources: the default configuration lists them. */
function restResources(defaults: readonly YamlFile[]): string[] {
  return defaults.flatMap((file) => Object.keys((file.value as Tree).rest ?? {}));
}

function onlyKnown<Entry>(entries: ReadonlyMap<string, Entry | undefined>): Map<string, Entry> {
  return new Map([...entries].flatMap(([name, entry]) => (entry === undefined ? [] : [[name, entry] as const])));
}

/** Hashes the terms as in the files, without creating the built-in lists. */
function fingerprintOf(model: Omit<ContentModel, 'fingerprint'>, terms: Entries): string {
  const vocabularies = Array.from(
    model.vocabularies.values(),
    ({ name, label, uriField, fields, newRevision, form, display }) => {
      return { name, label, uriField, fields, newRevision, form, display };
    },
  );
  const text = JSON.stringify([{ ...model, vocabularies }, terms], (_key, value) =>
    value instanceof Map || value instanceof Set ? [...value] : value,
  );
  return hash.xxHash64(text).toString(16).padStart(16, '0');
}
