/** `repositoryIdentifier` of the OAI identifier format: a domain name with at least one dot. */
const DOMAIN = /^[A-Za-z][A-Za-z0-9-]*(?:\.[A-Za-z][A-Za-z0-9-]*)+$/;
const NODE = /^node-([1-9]\d{0,14})$/;

/** Returns the identifier of a record, as in Islandora: `oai:repository.example.org:node-12`. */
export function identifierOf(host: string, nid: number): string {
  return `oai:${host}:node-${nid}`;
}

/** Returns the node of an identifier. Undefined for an identifier of another repository. */
export function nodeOf(host: string, identifier: string): number | undefined {
  const start = `oai:${host}:`;
  // Host names are case-insensitive.
  if (!identifier.toLowerCase().startsWith(start)) return undefined;
  const [, nid] = NODE.exec(identifier.slice(start.length)) ?? [];
  return nid === undefined ? undefined : Number(nid);
}

/** Returns true if identifiers with this host follow the OAI identifier format (Implementation Guidelines, OAI Identifiers). */
export function hasOaiIdentifiers(host: string): boolean {
  return DOMAIN.test(host);
}
