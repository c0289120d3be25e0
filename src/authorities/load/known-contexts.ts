/** The usual prefixes of authority files. */
const PREFIXES = {
  rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
  rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
  owl: 'http://www.w3.org/2002/07/owl#',
  skos: 'http://www.w3.org/2004/02/skos/core#',
  skosxl: 'http://www.w3.org/2008/05/skos-xl#',
  madsrdf: 'http://www.loc.gov/mads/rdf/v1#',
  ri: 'http://id.loc.gov/ontologies/RecordInfo#',
  identifiers: 'http://id.loc.gov/vocabulary/identifiers/',
  bf: 'http://id.loc.gov/ontologies/bibframe/',
  bflc: 'http://id.loc.gov/ontologies/bflc/',
  gndo: 'https://d-nb.info/standards/elementset/gnd#',
  gn: 'http://www.geonames.org/ontology#',
  gvp: 'http://vocab.getty.edu/ontology#',
  foaf: 'http://xmlns.com/foaf/0.1/',
  schema: 'http://schema.org/',
  dcterms: 'http://purl.org/dc/terms/',
  dct: 'http://purl.org/dc/terms/',
  cs: 'http://purl.org/vocab/changeset/schema#',
  vs: 'http://www.w3.org/2003/06/sw-vocab-status/ns#',
} as const;

const LOC = 'http://id.loc.gov/';

/**
 * Returns the context for an address in a file. Nothing is fetched: the files of the Library of Congress name a context that is on
 * no server, and mean the usual prefixes.
 */
export async function contextOf(address: string): Promise<{ readonly '@context': object }> {
  if (!isOfLoc(address))
    throw new Error(`its context ${address} is on another server; put the context itself into the file`);
  return { '@context': PREFIXES };
}

/** Returns the address to which those of a file are relative. */
export function baseOf(beginning: string): string {
  const [, address = ''] = /"@context"\s*:\s*"([^"]*)"/.exec(beginning) ?? [];
  return isOfLoc(address) ? LOC : 'urn:repo:file:';
}

function isOfLoc(address: string): boolean {
  return /^https?:\/\/(v3|id\.loc\.gov)\//.test(address);
}
