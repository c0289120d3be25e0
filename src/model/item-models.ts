/** The structures of items, by their members (config/models.yaml). */
export const ITEM_STRUCTURES = ['item', 'collection', 'paged', 'compound', 'page'] as const;
export type ItemStructure = (typeof ITEM_STRUCTURES)[number];

/** The kinds of works in citations and in metadata for machines. */
export const CITATION_KINDS = [
  ...(['map', 'globe', 'cartographic', 'photograph', 'drawing', 'print', 'manuscript', 'score'] as const),
  ...(['software', 'dataset', 'article', 'webpage', 'issue', 'newspaper', 'periodical', 'book'] as const),
  ...(['video', 'audio', 'image', 'collection', 'document'] as const),
] as const;
export type CitationKind = (typeof CITATION_KINDS)[number];

/** A model of items. */
export interface ItemModel {
  /** The URI of its term. */
  readonly uri: string;
  readonly structure: ItemStructure;
  /** The words of the list of members. Without `empty`, an item without members has no list. */
  readonly members: { readonly title: string; readonly empty?: string };
  /** The path of an outline, 24 units wide and high. */
  readonly icon: string | undefined;
  readonly citation: CitationKind | undefined;
  /** The media types and extensions of the files of which such an item is made. */
  readonly mediaTypes: readonly string[];
  readonly fileExtensions: readonly string[];
}

/** The words for the members of items of a structure. */
export const MEMBERS_WORDS: Readonly<Record<ItemStructure, ItemModel['members']>> = {
  item: { title: 'Parts' },
  collection: { title: 'In this collection', empty: 'This collection has no items yet.' },
  paged: { title: 'Pages' },
  compound: { title: 'Parts' },
  page: { title: 'Parts' },
};

/** The media type that stands for all types that no model names. */
const OTHER_TYPES = 'file';

/** The model of an item with an unknown term, or without one. */
const OTHER: ItemModel = {
  ...{ uri: '', structure: 'item', members: MEMBERS_WORDS.item, icon: undefined, citation: undefined },
  ...{ mediaTypes: [], fileExtensions: [] },
};

/** All models of a site. */
export class ItemModels {
  readonly #byUri: ReadonlyMap<string, ItemModel>;

  constructor(readonly all: readonly ItemModel[]) {
    this.#byUri = new Map(all.map((model) => [model.uri, model]));
  }

  /** Returns the model with the URI of a term. */
  of(uri: string | null | undefined): ItemModel {
    return this.#byUri.get(uri ?? '') ?? OTHER;
  }

  /** Returns true if one of the terms of an item has a model with the structure. */
  hasStructure(uris: Iterable<string>, structure: ItemStructure): boolean {
    return Iterator.from(uris).some((uri) => this.of(uri).structure === structure);
  }

  /** Returns the URIs of the models with a structure, in the order of the configuration. */
  urisOf(structure: ItemStructure): string[] {
    return this.all.filter((model) => model.structure === structure).map(({ uri }) => uri);
  }

  /** Returns the URI of the model of an item that is made of a file. */
  uriForFile(mediaType: string, extension: string): string | undefined {
    const ofType = (type: string) => this.all.find(({ mediaTypes }) => mediaTypes.includes(type));
    const own = mediaType === OTHER_TYPES ? undefined : ofType(mediaType);
    const itemModel = own ?? this.all.find((model) => model.fileExtensions.includes(extension)) ?? ofType(OTHER_TYPES);
    return itemModel?.uri;
  }
}
