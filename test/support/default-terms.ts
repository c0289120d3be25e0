/** The URIs of default terms of models. */
export const MODEL = {
  audio: 'http://purl.org/coar/resource_type/c_18cc',
  book: 'https://schema.org/Book',
  collection: 'http://purl.org/dc/dcmitype/Collection',
  compound: 'http://vocab.getty.edu/aat/300242735',
  document: 'https://schema.org/DigitalDocument',
  image: 'http://purl.org/coar/resource_type/c_c513',
  page: 'http://id.loc.gov/ontologies/bibframe/part',
  video: 'http://purl.org/coar/resource_type/c_12ce',
} as const;

/** The URIs of default terms of media uses. */
export const USE = {
  original: 'http://pcdm.org/use#OriginalFile',
  service: 'http://pcdm.org/use#ServiceFile',
  thumbnail: 'http://pcdm.org/use#ThumbnailImage',
  text: 'http://pcdm.org/use#ExtractedText',
  transcript: 'http://pcdm.org/use#Transcript',
  tiles: 'http://iiif.io/api/image/3/ImageService',
  hocr: 'https://discoverygarden.ca/use#hocr',
} as const;
