/** A DOI, bare, after `doi:`, or in an address of its resolver. The first group is the DOI. */
export const DOI = /^(?:doi:\s*|https?:\/\/(?:dx\.)?doi\.org\/)?(10\.\d{4,9}(?:\.\d+)*\/\S+)$/i;
