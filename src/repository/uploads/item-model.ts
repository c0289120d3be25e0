import type { MediaType } from '../../model/content-model.ts';
import { extensionOf } from '../media/media-type-of.ts';

const IMAGE = 'http://purl.org/coar/resource_type/c_c513';
const BINARY = 'http://purl.org/coar/resource_type/c_1843';
const DOCUMENT = 'https://schema.org/DigitalDocument';
const PAGE = 'http://id.loc.gov/ontologies/bibframe/part';

const MODEL_OF_TYPE: Readonly<Record<string, string>> = {
  image: IMAGE,
  audio: 'http://purl.org/coar/resource_type/c_18cc',
  video: 'http://purl.org/coar/resource_type/c_12ce',
  document: DOCUMENT,
  extracted_text: DOCUMENT,
};
/** Pictures that become media of the type `file`. */
const PICTURES = new Set(['tif', 'tiff', 'jp2']);

export const BOOK = 'https://schema.org/Book';
/** The models whose members are pages. */
const PAGED = [BOOK, 'https://schema.org/PublicationIssue'];
/** The models of collections. */
const COLLECTIONS = ['http://purl.org/dc/dcmitype/Collection', 'https://schema.org/Newspaper'];

/** Returns the URI of the model of an item that is created from a file: a page if its parent consists of pages. */
export function modelUriOf(type: MediaType, filename: string, parentUris: ReadonlySet<string>): string {
  if (isPaged(parentUris)) return PAGE;
  return MODEL_OF_TYPE[type.name] ?? (PICTURES.has(extensionOf(filename)) ? IMAGE : BINARY);
}

/** Returns true if an item with these URIs of its model consists of pages. */
export function isPaged(modelUris: ReadonlySet<string>): boolean {
  return PAGED.some((uri) => modelUris.has(uri));
}

/** Returns true if an item with these URIs of its model is a collection. */
export function isCollectionModel(modelUris: ReadonlySet<string>): boolean {
  return COLLECTIONS.some((uri) => modelUris.has(uri));
}
