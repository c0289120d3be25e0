import { type Block, block, type Step } from './sequence.ts';
import { termByUri } from './terms.ts';

const ORIGINAL_FILE = 'http://pcdm.org/use#OriginalFile';

/** The file field of each media type. */
export const FILE_FIELDS: Readonly<Record<string, string>> = {
  file: 'field_media_file',
  extracted_text: 'field_media_file',
  fits_technical_metadata: 'field_media_file',
  document: 'field_media_document',
  image: 'field_media_image',
  audio: 'field_media_audio_file',
  video: 'field_media_video_file',
};

export interface NewMedia {
  /** The fact that holds the number of its node. */
  readonly node: string;
  readonly type: string;
  /** As in the table's cell: it may have folders. */
  readonly file: string;
  readonly bytes: Uint8Array;
  readonly use?: string;
  readonly fields?: object;
  /** The name under which the id of its file is stored (default: `fid`). */
  readonly fid?: string;
  /** The value of `filename="…"` for a name outside ASCII. */
  readonly transliterated?: string;
}

/** A file on its way, before there is a media. */
export function uploadOf({ type, file, bytes, transliterated, fid = 'fid' }: Omit<NewMedia, 'node'>): Step {
  return {
    send: `POST /file/upload/media/${type}/${FILE_FIELDS[type]}?_format=json`,
    bytes,
    headers: {
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': `file; filename="${transliterated ?? file}"; filename*=utf-8''${quotedName(file)}`,
    },
    accepts: [201],
    reads: { 'fid[0].value': 'integer', 'uuid[0].value': 'text', 'uri[0].url': 'site path' },
    keeps: { [fid]: 'fid[0].value', [`uuid of ${fid}`]: 'uuid[0].value' },
  };
}

/** `urllib.parse.quote_plus`: a space is `+`, a slash `%2F`. */
function quotedName(name: string): string {
  return encodeURIComponent(name).replaceAll('%20', '+');
}

/** Block M: one file to a node, with its use. Workbench learns nothing of the media that it has made. */
export function newMedia(media: NewMedia): Block {
  const { node, type, file, use = ORIGINAL_FILE, fields = {}, fid = 'fid' } = media;
  const isImage = type === 'image';
  return async (workbench, facts) => {
    const format = workbench.options.standaloneMediaUrl ? '?_format=json' : '';
    await block(
      uploadOf(media),
      termByUri(use, 'use'),
      { send: `GET /entity/media_type/${type}?_format=json`, accepts: [200] },
      {
        send: `POST /entity/media${format}`,
        json: {
          bundle: [{ target_id: type, target_type: 'media_type' }],
          name: [{ value: file }],
          [FILE_FIELDS[type] ?? '']: [
            { target_id: `#{${fid}}`, target_type: 'file', ...(isImage && { alt: `An alternative to ${file}` }) },
          ],
          field_media_of: [{ target_id: `#{${node}}`, target_type: 'node' }],
          field_media_use: [{ target_id: '#{use}', target_type: 'taxonomy_term' }],
          ...fields,
        },
        accepts: [201, 204],
      },
    )(workbench, facts);
  };
}

/** The members of every media that some task reads. */
export const MEDIA_MEMBERS = {
  'mid[0].value': 'integer',
  'bundle[0].target_id': 'text',
  'name[0].value': 'text',
  'status[0].value': 'boolean',
  'field_media_of[0].target_id': 'integer',
  'field_media_use[].target_id': 'integer',
} as const;
