import type { ShowableFile } from '../../repository/content/lists/find-showable.ts';
import type { Measurements } from '../../repository/files/measure-files.ts';
import type { CanvasMedia } from './choose-canvas-media.ts';

/** Returns what was measured of a file. */
export type MeasurementsOf = (file: ShowableFile) => Measurements | undefined;

/** A size in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The sizes of canvases whose file tells none: a square, a page in the format A4, and a wide screen. */
const UNKNOWN_SIZES = {
  image: { width: 1000, height: 1000 },
  document: { width: 1000, height: 1414 },
  video: { width: 1280, height: 720 },
} as const;

/** Bytes of a second of audio and video at usual rates (128 kbit/s and 2 Mbit/s). */
const USUAL_BYTES_PER_SECOND = { audio: 16_000, video: 250_000 } as const;

/** Returns the size of a picture or a video; undefined if it is unknown. */
export function sizeOf(file: ShowableFile, measuredOf: MeasurementsOf): Size | undefined {
  const { width, height } = file;
  if (width !== null && height !== null && width > 0 && height > 0) return { width, height };
  const measured = measuredOf(file);
  return measured?.width && measured.height ? { width: measured.width, height: measured.height } : undefined;
}

/** Returns the size of a canvas: that of the original, or else of the picture in it, or else a usual one. Audio has none. */
export function canvasSize({ family, original, painted }: CanvasMedia, measuredOf: MeasurementsOf): Size | undefined {
  if (family === 'audio') return undefined;
  const sizeOfPainted = () => painted && sizeOf(painted.file, measuredOf);
  return (
    (family === 'document' ? undefined : sizeOf(original.file, measuredOf)) ?? sizeOfPainted() ?? UNKNOWN_SIZES[family]
  );
}

/** Returns the duration of a canvas in seconds, estimated from the length of the file if that cannot be read. */
export function canvasSeconds(
  { family, original, painted = original }: CanvasMedia,
  measuredOf: MeasurementsOf,
): number | undefined {
  if (family !== 'audio' && family !== 'video') return undefined;
  const seconds = measuredOf(painted.file)?.seconds ?? measuredOf(original.file)?.seconds;
  return seconds ?? Math.max(1, Math.round(painted.file.bytes / USUAL_BYTES_PER_SECOND[family]));
}

/** Returns the files whose facts the rows lack, for the canvases of a manifest. */
export function filesToMeasure(shown: readonly CanvasMedia[]): ShowableFile[] {
  const files = new Map<number, ShowableFile>();
  const add = (file: ShowableFile | undefined, isPicture: boolean) => {
    if (file !== undefined && !(isPicture && file.width !== null && file.height !== null)) files.set(file.id, file);
  };
  for (const { family, original, painted, thumbnail } of shown) {
    const isPicture = family === 'image' || family === 'document';
    if (family !== 'document') add(original.file, isPicture);
    add(painted?.file, isPicture);
    add(thumbnail?.file, true);
  }
  return [...files.values()];
}
