/** An IRI as it is written in configuration, `dcterms:title`, in full. Without a declared prefix it stays as it is. */
export function expandIri(prefixes: ReadonlyMap<string, string>, name: string): string {
  const colon = name.indexOf(':');
  const namespace = colon < 0 || name.startsWith('//', colon + 1) ? undefined : prefixes.get(name.slice(0, colon));
  return namespace === undefined ? name : namespace + name.slice(colon + 1);
}
