import type { FileSize } from '../../repository/content/read/find-attached-files.ts';
import type { AttachedMedia } from '../../repository/content/read/surroundings.ts';
import type { DerivativeFailure } from '../upload/find-failures.ts';

/** A media of the page, with what the caller may do with it. */
export interface FileRow {
  readonly media: AttachedMedia;
  readonly size: FileSize | undefined;
  readonly mayEdit: boolean;
  readonly mayReplace: boolean;
  readonly mayCaption: boolean;
  readonly mayDelete: boolean;
}

/** The page from which the files of an item are changed. */
export interface FilesPageData {
  readonly id: number;
  readonly title: string;
  /** The shown page of the list, from 0, and the number of pages. */
  readonly page: number;
  readonly pages: number;
  readonly total: number;
  readonly rows: readonly FileRow[];
  readonly mayAdd: boolean;
  /** The id of the media of the thumbnail, if the caller may replace its file. */
  readonly thumbnail: number | undefined;
  /** True if the item has a thumbnail. */
  readonly hasThumbnail: boolean;
  readonly failures: readonly DerivativeFailure[];
  readonly formToken: string;
}
