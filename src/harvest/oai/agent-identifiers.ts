/** An identifier of an agent in a scheme that catalogues know. */
export interface AgentIdentifier {
  readonly id: string;
  readonly scheme: string;
  /** The address of the scheme. */
  readonly schemeUri: string;
}

type Scheme = readonly [name: string, uri: string, pattern: RegExp, start: string];

/** The schemes from the one that DataCite prefers: how an address names an identifier, and the start of its usual form. */
const SCHEMES: readonly Scheme[] = [
  [
    ...(['ORCID', 'https://orcid.org'] as const),
    /^https?:\/\/(?:www\.)?orcid\.org\/(\d{4}-\d{4}-\d{4}-\d{3}[\dX])\/?$/i,
    'https://orcid.org/',
  ],
  ['ROR', 'https://ror.org', /^https?:\/\/(?:www\.)?ror\.org\/(0[a-z0-9]{8})\/?$/i, 'https://ror.org/'],
  [
    ...(['ISNI', 'https://isni.org'] as const),
    /^https?:\/\/(?:www\.)?isni\.org\/(?:isni\/|page\/)?(\d{15}[\dX])\/?$/i,
    'https://isni.org/isni/',
  ],
  ['VIAF', 'https://viaf.org', /^https?:\/\/(?:www\.)?viaf\.org\/viaf\/(\d+)\/?$/i, 'https://viaf.org/viaf/'],
  ['GND', 'https://d-nb.info/gnd', /^https?:\/\/d-nb\.info\/gnd\/([\dX-]+)\/?$/i, 'https://d-nb.info/gnd/'],
  [
    ...(['LCNAF', 'http://id.loc.gov/authorities/names'] as const),
    /^https?:\/\/id\.loc\.gov\/authorities\/names\/(n[a-z]?\d+)(?:\.html)?\/?$/i,
    'http://id.loc.gov/authorities/names/',
  ],
  [
    ...(['Wikidata', 'https://www.wikidata.org'] as const),
    /^https?:\/\/(?:www\.)?wikidata\.org\/(?:wiki|entity)\/(Q\d+)\/?$/i,
    'https://www.wikidata.org/entity/',
  ],
];

/** Returns the identifier among the authority links of an agent; undefined if they are of none of the schemes. */
export function agentIdentifier(addresses: readonly string[]): AgentIdentifier | undefined {
  for (const [scheme, schemeUri, pattern, start] of SCHEMES)
    for (const address of addresses) {
      const [, id] = pattern.exec(address.trim()) ?? [];
      if (id !== undefined) return { id: start + id, scheme, schemeUri };
    }
  return undefined;
}
