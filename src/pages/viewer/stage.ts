import type { Card } from '../../repository/content/lists/find-cards.ts';

/** A file of a stage. */
export interface StageFile {
  /** The path of its bytes. */
  readonly path: string;
  readonly mimeType: string;
  readonly bytes: number;
}

/** A picture that browsers show, with its size in pixels if it is known. */
export interface StagePicture {
  readonly path: string;
  readonly width: number | undefined;
  readonly height: number | undefined;
}

/** A track of audio or video, in WebVTT. */
export interface StageTrack {
  readonly path: string;
  readonly kind: 'captions' | 'subtitles' | 'descriptions' | 'chapters' | 'metadata';
  readonly language: string | undefined;
  readonly label: string | undefined;
  readonly isDefault: boolean;
}

/** The content of the stage of a page. Paths are without the root of the site. */
export type Stage =
  | {
      readonly kind: 'image';
      readonly picture: StagePicture | undefined;
      /** The path of the description of the image service, which has the picture in full size. */
      readonly service: string | undefined;
      /** The alternative text. Undefined for the name of the item. */
      readonly alt: string | undefined;
    }
  | {
      readonly kind: 'pages';
      readonly manifest: string;
      /** True if some of the pages have text. */
      readonly isSearchable: boolean;
      /** The words that the viewer shows. */
      readonly query?: string;
      /** The page of the result of their search that the viewer asks for, from 0. */
      readonly resultPage?: number;
      /** The id of the page that the viewer opens at. */
      readonly at: number | undefined;
      /** The first pages, or those around `at`. */
      readonly cards: readonly Card[];
      /** The number of pages before them. */
      readonly before: number;
      readonly total: number;
    }
  | {
      readonly kind: 'audio' | 'video';
      readonly file: StageFile;
      readonly tracks: readonly StageTrack[];
      readonly picture: StagePicture | undefined;
    }
  | { readonly kind: 'pdf'; readonly file: StageFile; readonly picture: StagePicture | undefined }
  | {
      readonly kind: 'text';
      readonly file: StageFile;
      /** The beginning of the text. */
      readonly text: string;
      readonly isWhole: boolean;
    }
  | {
      readonly kind: 'other';
      readonly file: StageFile;
      readonly picture: StagePicture | undefined;
      /** True if a version or a picture of the file is being made. */
      readonly isPreparing: boolean;
    };
