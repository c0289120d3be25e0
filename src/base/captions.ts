/** WebVTT begins so, after an optional byte order mark (W3C WebVTT, 4.1). */
const WEBVTT = /^\uFEFF?WEBVTT(?:[ \t\r\n]|$)/;
/** The first cue of SubRip: its number, and its times with a comma. */
const SUBRIP = /^\uFEFF?\s*\d+[ \t]*(?:\r\n|\r|\n)\d{1,2}:\d\d:\d\d[,.]\d{1,3}[ \t]*-->/;
const UTF_16 = /^(?:\xFF\xFE|\xFE\xFF|\0.|.\0)/s;

/** Number of bytes at the beginning of a file that show whether it is WebVTT. */
export const CAPTIONS_HEAD_BYTES = 256;

/** The advice for captions in SubRip. */
export const CONVERT_SUBRIP =
  'Captions in SubRip (SRT) must be converted to WebVTT first, such as with ffmpeg -i captions.srt captions.vtt.';

/** Returns what is wrong with captions, by the beginning of their file. Undefined for WebVTT. */
export function captionsProblem(head: Uint8Array): string | undefined {
  if (UTF_16.test(Buffer.from(head.subarray(0, 2)).toString('latin1')))
    return 'The captions are in UTF-16. WebVTT must be in UTF-8: save them again with that encoding.';
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(head);
  if (WEBVTT.test(text)) return undefined;
  if (SUBRIP.test(text)) return CONVERT_SUBRIP;
  return 'The captions are not WebVTT, which begins with the word WEBVTT.';
}
