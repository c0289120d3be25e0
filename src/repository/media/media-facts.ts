import type { FitsFacts } from '../../base/fits-facts.ts';

/** Facts about the file of a media that the caller may read. */
export interface MediaFacts {
  readonly file:
    | {
        readonly bytes: number;
        /** Hexadecimal. */
        readonly sha256: string;
        /** The size of an image in pixels, if it is known. */
        readonly width: number | null;
        readonly height: number | null;
      }
    | undefined;
  /** The content of a FITS file about it, and the media of that file. */
  readonly technical: { readonly facts: FitsFacts; readonly media: number } | undefined;
}
