import type { IFormat } from 'music-metadata';
import type { ReadAt } from '../images/byte-source.ts';
import { type AvFacts, isoMediaFacts } from './iso-media.ts';

/** An audio or video file of known length. */
interface AvFile {
  readonly mimeType: string;
  readonly bytes: number;
  readonly readAt: ReadAt;
}

/** The longest duration that is believed: a damaged header may hold any number. */
const MAX_SECONDS = 100 * 24 * 3600;
/** The sample rate of positions in Ogg with Opus (RFC 7845, 4). */
const OPUS_RATE = 48_000;

/**
 * Reads the duration of audio or video, and the size of the video, from its header, in a limited number of small reads.
 * Returns no facts for other files and damaged ones; only errors of `readAt` are thrown.
 */
export async function readAvFacts(file: AvFile): Promise<AvFacts> {
  const { seconds, width, height } = (await isoMediaFacts(file.bytes, file.readAt)) ?? (await parsedFacts(file));
  const isSound = seconds !== undefined && seconds > 0 && seconds <= MAX_SECONDS;
  return { seconds: isSound ? roundToMs(seconds) : undefined, width: pixels(width), height: pixels(height) };
}

async function parsedFacts(file: AvFile): Promise<AvFacts> {
  const format = await readFormat(file);
  const video = videoOf(format);
  return {
    seconds: format.duration ?? (await oggSeconds(file, format)),
    width: video?.displayWidth ?? video?.pixelWidth,
    height: video?.displayHeight ?? video?.pixelHeight,
  };
}

type Format = Partial<Omit<IFormat, 'tagTypes'>>;

/** Reads a header until it has told what is wanted. */
async function readFormat({ mimeType, bytes, readAt }: AvFile): Promise<Format> {
  // The library is not held in memory before the first such file.
  const [{ parseFromTokenizer }, { createRangeTokenizer }] = await Promise.all([
    import('music-metadata'),
    import('./range-tokenizer.ts'),
  ]);
  const source = createRangeTokenizer(bytes, mimeType, readAt);
  let known: Format = {};
  try {
    const { format } = await parseFromTokenizer(source.tokenizer, {
      duration: false,
      skipCovers: true,
      skipPostHeaders: true,
      observer({ metadata }) {
        known = metadata.format;
        if (known.duration && (mimeType.startsWith('audio/') || videoOf(known))) source.stop();
      },
    });
    known = format;
  } catch {
    const failure = source.failure();
    if (failure !== undefined) throw failure.error;
    // The library throws various errors for other files, for damaged ones, and after the stop.
  }
  return known;
}

function videoOf({ trackInfo = [] }: Format) {
  return trackInfo.find((track) => track.video !== undefined)?.video;
}

/** Returns the duration of Ogg with audio, whose header tells none. */
async function oggSeconds({ bytes, readAt }: AvFile, { container, codec, sampleRate }: Format) {
  const rate = codec?.startsWith('Opus') ? OPUS_RATE : sampleRate;
  if (container !== 'Ogg' || !rate) return undefined;
  const samples = await lastOggSample(bytes, readAt);
  return samples && samples / rate;
}

function roundToMs(seconds: number): number {
  return Math.max(0.001, Math.round(seconds * 1000) / 1000);
}

function pixels(value: number | undefined): number | undefined {
  return value !== undefined && Number.isInteger(value) && value > 0 ? value : undefined;
}

/** The maximum length of a page of Ogg (RFC 3533, 6). The end of a file contains the last one. */
const MAX_PAGE_BYTES = 65_307;
const PAGE_MARK = 'OggS';
/** The offset of the position in the header of a page. */
const POSITION_OFFSET = 6;

/** Returns the position of the last page of Ogg, in samples. Undefined for other files. */
async function lastOggSample(bytes: number, readAt: ReadAt): Promise<number | undefined> {
  const length = Math.min(bytes, MAX_PAGE_BYTES);
  const end = Buffer.from(await readAt(bytes - length, length));
  for (let at = end.lastIndexOf(PAGE_MARK); at >= 0; at = at === 0 ? -1 : end.lastIndexOf(PAGE_MARK, at - 1)) {
    // A page on which no packet ends has the position -1.
    const position = at + POSITION_OFFSET + 8 <= end.length ? end.readBigInt64LE(at + POSITION_OFFSET) : -1n;
    if (position >= 0n) return Number(position);
  }
  return undefined;
}
