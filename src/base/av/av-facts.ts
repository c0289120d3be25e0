import { type IAudioMetadata, parseFromTokenizer } from 'music-metadata';
import type { ReadAt } from '../images/byte-source.ts';
import { createRangeTokenizer } from './range-tokenizer.ts';

/** Facts of audio or video. Members that its header does not tell are undefined. */
export interface AvFacts {
  readonly seconds: number | undefined;
  /** The size of a video in pixels. */
  readonly width: number | undefined;
  readonly height: number | undefined;
}

/** An audio or video file of known length. */
interface AvFile {
  readonly mimeType: string;
  readonly bytes: number;
  readonly readAt: ReadAt;
}

const NO_FACTS: AvFacts = { seconds: undefined, width: undefined, height: undefined };
/** The longest duration that is believed: a damaged header may hold any number. */
const MAX_SECONDS = 100 * 24 * 3600;

/**
 * Reads the duration of audio or video, and the size of the video, from its header, in a limited number of small reads.
 * Returns no facts for other files and damaged ones; only errors of `readAt` are thrown.
 */
export async function avFacts({ mimeType, bytes, readAt }: AvFile): Promise<AvFacts> {
  const source = createRangeTokenizer(bytes, mimeType, readAt);
  let found: IAudioMetadata;
  try {
    found = await parseFromTokenizer(source.tokenizer, { duration: false, skipCovers: true, skipPostHeaders: true });
  } catch {
    const failure = source.failure();
    if (failure !== undefined) throw failure.error;
    // The library throws various errors for other files and damaged ones.
    return NO_FACTS;
  }
  const { duration = 0, trackInfo } = found.format;
  const video = trackInfo.find((track) => track.video !== undefined)?.video;
  return {
    seconds: duration > 0 && duration <= MAX_SECONDS ? roundToMs(duration) : undefined,
    width: pixels(video?.displayWidth ?? video?.pixelWidth),
    height: pixels(video?.displayHeight ?? video?.pixelHeight),
  };
}

function roundToMs(seconds: number): number {
  return Math.max(0.001, Math.round(seconds * 1000) / 1000);
}

function pixels(value: number | undefined): number | undefined {
  return value !== undefined && Number.isInteger(value) && value > 0 ? value : undefined;
}
