import type { Item } from '../../../model/content-model.ts';

/** The file of a media, with the facts that a viewer needs before it loads the bytes. */
export interface ShowableFile {
  readonly id: number;
  readonly uri: string;
  readonly mimeType: string;
  readonly bytes: number;
  /** The size in pixels of an image. Null if it was not found when the file was stored. */
  readonly width: number | null;
  readonly height: number | null;
  readonly storageKey: string;
  /** As in the row (`files/scheme.ts`). */
  readonly storedIn: string | null;
}

/** A media with its file. */
export interface ShowableMedia {
  readonly id: number;
  readonly uuid: string;
  readonly bundle: string;
  readonly label: string;
  /** The URIs of its uses, in order. */
  readonly uses: readonly string[];
  /** The items of its track fields. */
  readonly tracks: readonly Item[];
  readonly file: ShowableFile;
}

/** A node with its media, as far as the caller may view them. */
export interface ShowableNode {
  readonly id: number;
  readonly label: string;
  readonly language: string | undefined;
  readonly media: readonly ShowableMedia[];
}

/** A node as an entry of a list. */
export interface ShowableMember extends ShowableNode {
  /** The URI of its model. */
  readonly model: string | undefined;
  /** True if it has members with media that the caller may view. */
  readonly hasMembers: boolean;
}

/** The URIs of the models of the nodes that a node is a member of, by id. */
export type ParentModels = ReadonlyMap<number, string | null>;

/** A node with the members that a viewer shows together with it. */
export interface ShowableTree {
  readonly node: ShowableNode;
  /** By weight and then by id. */
  readonly members: readonly ShowableNode[];
  readonly parentModels: ParentModels;
}

/** A node with a page of its members. */
export interface ShowableList {
  readonly node: ShowableNode;
  /** By weight and then by id. Empty if only a complete list was wanted, and the page is none. */
  readonly members: readonly ShowableMember[];
  /** The number of members that the caller may view, on all pages. */
  readonly total: number;
  readonly parentModels: ParentModels;
}
