/** Formats by MIME type. Words follow only where the format alone would not be understood. */
const NAMES: Readonly<Record<string, string>> = {
  'application/epub+zip': 'EPUB book',
  'application/gzip': 'GZIP archive',
  'application/json': 'JSON data',
  'application/msword': 'Word document',
  'application/pdf': 'PDF document',
  'application/rtf': 'RTF document',
  'application/vnd.ms-excel': 'Excel table',
  'application/vnd.ms-powerpoint': 'PowerPoint slides',
  'application/vnd.oasis.opendocument.presentation': 'OpenDocument slides',
  'application/vnd.oasis.opendocument.spreadsheet': 'OpenDocument table',
  'application/vnd.oasis.opendocument.text': 'OpenDocument text',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'PowerPoint slides',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'Excel table',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'Word document',
  'application/xml': 'XML document',
  'application/zip': 'ZIP archive',
  'audio/aac': 'AAC audio',
  'audio/flac': 'FLAC audio',
  'audio/mp4': 'M4A audio',
  'audio/mpeg': 'MP3 audio',
  'audio/ogg': 'Ogg audio',
  'audio/wav': 'WAV audio',
  'audio/x-m4a': 'M4A audio',
  'audio/x-wav': 'WAV audio',
  'image/jp2': 'JPEG 2000 image',
  'image/svg+xml': 'SVG image',
  'image/webp': 'WebP image',
  'text/csv': 'CSV table',
  'text/html': 'web page',
  'text/plain': 'plain text',
  'text/rtf': 'RTF document',
  'text/vnd.hocr+html': 'recognised text with positions (hOCR)',
  'text/vtt': 'subtitles (WebVTT)',
  'text/xml': 'XML document',
  'video/mp4': 'MP4 video',
  'video/ogg': 'Ogg video',
  'video/quicktime': 'QuickTime video',
  'video/webm': 'WebM video',
  'video/x-matroska': 'Matroska video',
  'video/x-msvideo': 'AVI video',
};
const FAMILIES: Readonly<Record<string, string>> = { image: 'image', audio: 'audio', video: 'video', text: 'text' };

/** Returns the type of a file in words, such as "TIFF image". `extension` names the format of types without a name. */
export function fileTypeInWords(filemime: string, extension: string | undefined): string {
  const type = (filemime.split(';', 1)[0] ?? '').trim().toLowerCase();
  if (Object.hasOwn(NAMES, type)) return NAMES[type] as string;
  const [family = '', subtype = ''] = type.split('/');
  if (Object.hasOwn(FAMILIES, family)) {
    const format = /^[a-z0-9]{2,5}$/.test(subtype) ? subtype : extension;
    return format === undefined ? (FAMILIES[family] as string) : `${format.toUpperCase()} ${FAMILIES[family]}`;
  }
  return extension === undefined ? 'file' : `${extension.toUpperCase()} file`;
}
