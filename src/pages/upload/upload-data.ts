import { pathOf } from '../../paths.ts';

/** Returns the path of the page that adds files to a node, or replaces the file of a media. */
export function uploadPagePath(type: 'node' | 'media', id: number): string {
  return type === 'node' ? pathOf('nodeUpload', { node: id }) : pathOf('mediaUpload', { media: id });
}

/** The uses of the files of an upload page. */
export const UPLOAD_CHOICES = ['files', 'items', 'pages', 'book', 'source', 'track'] as const;
export type UploadChoice = (typeof UPLOAD_CHOICES)[number];

/** The entries of the form of an upload page, as they were typed. */
export interface UploadEntries {
  readonly choice: UploadChoice;
  /** The id of the term of the media use. */
  readonly use: string;
  /** The title of a new book. */
  readonly title: string;
  readonly language: string;
  readonly label: string;
  /** `1` to publish new items at once, `0` to keep them as drafts. */
  readonly published: string;
  /** The id of the model of new items; empty for that of the type of the file. */
  readonly model: string;
  /** The id of the item of which new items become members. */
  readonly collection: string;
  readonly rights: string;
}

/** A choice of a form. */
interface Choice {
  readonly value: string;
  readonly label: string;
}

/** The values that all new items get. */
export interface NewItemsData {
  /** False for a caller who may not decide that. */
  readonly mayPublish: boolean;
  /** Empty if they are too many to offer. */
  readonly models: readonly Choice[];
  /** Empty if they are too many to offer. */
  readonly collections: readonly Choice[];
  readonly hasRights: boolean;
}

/** The page that adds files to a node or a media. */
export interface UploadPageData {
  readonly of: 'node' | 'media';
  readonly id: number;
  readonly title: string;
  /** The choices that the caller has; one or more. */
  readonly choices: readonly UploadChoice[];
  readonly uses: readonly { readonly id: number; readonly label: string }[];
  readonly entries: UploadEntries;
  /** Undefined where no items are created. */
  readonly newItems: NewItemsData | undefined;
  readonly problem: string | undefined;
  readonly formToken: string;
  readonly maxBytes: number | undefined;
  /** The extensions that are accepted, without the dot. */
  readonly extensions: readonly string[];
  /** True if new items are ordered by the names of their files: not in a collection. */
  readonly ordersItems: boolean;
  /** The weight of the next member of the node. */
  readonly nextWeight: number;
  /** The type and the model of a new book. Undefined if the repository has none. */
  readonly book: { readonly type: string; readonly model: number } | undefined;
}
