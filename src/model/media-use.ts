const PCDM_USE = 'http://pcdm.org/use#';

/** The URIs of the media uses to which the program gives a meaning. `config/terms.yaml` has their terms. */
export const MEDIA_USE_URI = {
  original: `${PCDM_USE}OriginalFile`,
  preservation: `${PCDM_USE}PreservationMasterFile`,
  service: `${PCDM_USE}ServiceFile`,
  thumbnail: `${PCDM_USE}ThumbnailImage`,
  extractedText: `${PCDM_USE}ExtractedText`,
  transcript: `${PCDM_USE}Transcript`,
  hocr: 'https://discoverygarden.ca/use#hocr',
  fits: 'https://projects.iq.harvard.edu/fits',
  tiles: 'http://iiif.io/api/image/3/ImageService',
} as const;
