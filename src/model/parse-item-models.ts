import { Type as t } from '@sinclair/typebox';
import { nameOf } from '../base/check-shape.ts';
import type { ConfigReader } from '../base/config-reader.ts';
import { closed, text } from '../base/schema-parts.ts';
import {
  CITATION_KINDS,
  type CitationKind,
  ITEM_STRUCTURES,
  type ItemModel,
  ItemModels,
  type ItemStructure,
  MEMBERS_WORDS,
} from './item-models.ts';
import { oneOf } from './view-schema.ts';

/** A maximum length of outlines: each card without a picture contains one. */
const MAX_ICON_CHARS = 2_000;

const list = (description: string) => t.Array(text('text'), { description });

const ItemModelSchema = closed(
  {
    uri: t.String({ pattern: '^[a-z][a-z0-9+.-]*:[^\\s<>"]+$', description: 'an absolute address' }),
    structure: t.Optional(oneOf(ITEM_STRUCTURES)),
    members: t.Optional(text('text for people to read')),
    no_members: t.Optional(text('text for people to read')),
    icon: t.Optional(
      t.String({
        pattern: '^[MmLlHhVvCcSsQqTtAaZz0-9 ,.-]+$',
        maxLength: MAX_ICON_CHARS,
        description: `a path as in the attribute d of SVG, of at most ${MAX_ICON_CHARS} characters`,
      }),
    ),
    citation: t.Optional(oneOf(CITATION_KINDS)),
    media_types: t.Optional(list('a list of media types')),
    file_extensions: t.Optional(list('a list of file extensions')),
  },
  'a model: a map with at least uri',
);

interface ModelFile {
  uri?: string;
  structure?: ItemStructure;
  members?: string;
  no_members?: string;
  icon?: string;
  citation?: CitationKind;
  media_types?: string[];
  file_extensions?: string[];
}

/** Reads the models of items (config/models.yaml). */
export function parseItemModels(
  reader: ConfigReader,
  value: Readonly<Record<string, unknown>>,
  mediaTypes: ReadonlySet<string>,
): ItemModels {
  const nameAt = new Map<string, string>();
  const models = reader.eachNamed(value, ['models'], (name, entry, path): ItemModel | undefined => {
    const file = reader.map(ItemModelSchema, entry, path) as ModelFile;
    if (file.uri === undefined) return undefined;
    const other = nameAt.get(file.uri);
    const at = [...path, 'uri'];
    if (other !== undefined) reader.report(at, `${nameOf(at)}: models.${other} already has the URI ${file.uri}`);
    nameAt.set(file.uri, name);
    for (const [index, type] of (file.media_types ?? []).entries())
      if (!mediaTypes.has(type) && !reader.isBuiltIn([...path, 'media_types']))
        reader.reportUnknown([...path, 'media_types', String(index)], 'media type', type, mediaTypes);
    return toModel(file.uri, file);
  });
  return new ItemModels([...models.values()].filter((model) => model !== undefined));
}

function toModel(uri: string, file: ModelFile): ItemModel {
  const structure = file.structure ?? 'item';
  const words = MEMBERS_WORDS[structure];
  const empty = structure === 'collection' ? (file.no_members ?? words.empty) : undefined;
  return {
    uri,
    structure,
    members: { title: file.members ?? words.title, ...(empty === undefined ? {} : { empty }) },
    icon: file.icon,
    citation: file.citation,
    mediaTypes: file.media_types ?? [],
    fileExtensions: (file.file_extensions ?? []).map((extension) => extension.toLowerCase()),
  };
}
