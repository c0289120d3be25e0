import { decodedName } from '../../base/decoded-path.ts';
import type { ContentType } from '../../repository/access-rule.ts';

/** Paths in the package of a node. JSON is that of the API, with root-relative addresses. */
export const NODE_PATH = 'node.json';
export const README_PATH = 'README.txt';

/** Returns the text that explains a package to its readers. */
export function readmeOf({ hasParagraphs }: { readonly hasParagraphs: boolean }): string {
  return hasParagraphs ? README.replace('terms/<uuid>.json ', `${PARAGRAPHS}terms/<uuid>.json `) : README;
}

/** The line about paragraphs, which packages without paragraphs lack, so that their bytes stay the same. */
const PARAGRAPHS = 'paragraphs/<uuid>.json       their parts (paragraphs)\n';

const README = `This package contains one node of a repository, with its media, files, terms and users.

node.json                    the node, as JSON of the REST API
media/<uuid>.json            its media
files/<uuid>.json            their files: address, name, type, size, SHA-256
files/<uuid>/<name>          the bytes of a file
terms/<uuid>.json            the referenced taxonomy terms and their parents
users/<uuid>.json            the names of the owners and of the authors of revisions

References are UUIDs (target_uuid). All other ids are valid only in the repository of the export.
`;

const FOLDERS = {
  media: 'media',
  paragraph: 'paragraphs',
  taxonomy_term: 'terms',
  file: 'files',
  user: 'users',
} as const;
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const IS_UUID = new RegExp(`^${UUID}$`);
const DOCUMENT_PATH = new RegExp(`^(media|paragraphs|terms|files|users)/(${UUID})\\.json$`);
const BYTES_PATH = new RegExp(`^files/(${UUID})/([^/]+)$`);

/** The meaning of a path in a package. */
export type Place =
  | { readonly kind: 'readme' }
  | { readonly kind: 'node' }
  | { readonly kind: 'bytes'; readonly uuid: string }
  | { readonly kind: 'media' | 'paragraph' | 'taxonomy_term' | 'file' | 'user'; readonly uuid: string };

/** Returns true for a UUID in lower case. */
export function isUuid(text: unknown): text is string {
  return typeof text === 'string' && IS_UUID.test(text);
}

/** Returns the path of the JSON of an entity. */
export function documentPath(type: ContentType | 'file' | 'user', uuid: string): string {
  return type === 'node' ? NODE_PATH : `${FOLDERS[type]}/${uuid}.json`;
}

const MAX_NAME_BYTES = 200;
/** Names of devices on Windows, with any extension. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/**
 * Returns the path of a file's bytes in a package. Its JSON holds the exact name. Here percent-encoded names are
 * decoded, and any other `%` becomes `_`, because BagIt validators disagree about it (decision 37).
 */
export function bytesPath(uuid: string, filename: string): string {
  return `files/${uuid}/${portableName(decodedName(filename).replaceAll('%', '_'))}`;
}

/** Returns a file name that is valid in every file system. */
export function portableName(filename: string): string {
  const name = filename
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029/\\:*?"<>|~]/gu, '_')
    // Validators strip white space from the end of a line.
    .replace(/^\.+|[.\s]+$/g, '_')
    .replace(DEVICE, '_$1');
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 && name.length - dot <= 16 ? name.slice(dot) : '';
  let stem = '';
  let bytes = Buffer.byteLength(extension);
  // Code points, so that no character is cut in two.
  for (const character of name.slice(0, name.length - extension.length)) {
    bytes += Buffer.byteLength(character);
    if (bytes > MAX_NAME_BYTES) break;
    stem += character;
  }
  const whole = `${stem || 'file'}${extension}`;
  return whole === name ? name : whole.replace(/[.\s]+$/, '_');
}

/** Returns the meaning of a path; undefined for a path that no package has. */
export function placeOf(path: string): Place | undefined {
  if (path === NODE_PATH) return { kind: 'node' };
  if (path === README_PATH) return { kind: 'readme' };
  const [, folder, uuid] = DOCUMENT_PATH.exec(path) ?? [];
  if (folder !== undefined && uuid !== undefined) {
    const kind = Object.entries(FOLDERS).find(([, name]) => name === folder)?.[0] as keyof typeof FOLDERS;
    return { kind, uuid };
  }
  const [, ofBytes] = BYTES_PATH.exec(path) ?? [];
  return ofBytes === undefined ? undefined : { kind: 'bytes', uuid: ofBytes };
}
