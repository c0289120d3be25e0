const CREATIVE_COMMONS =
  /\bhttps?:\/\/(?:www\.)?(creativecommons\.org\/(?:licenses|publicdomain)\/[a-z+-]+\/\d+\.\d+(?:\/[a-z]{2,3})?)(?![\w])/i;
const STATEMENT = /\bhttps?:\/\/(?:www\.)?(rightsstatements\.org\/)(?:vocab|page)(\/[A-Za-z-]+\/\d+\.\d+)/i;

/**
 * Returns the address of the first license or statement in texts, as Creative Commons and RightsStatements.org write it:
 * the only ones that the Presentation API accepts (3.0, 3.1 "rights").
 */
export function rightsIn(texts: readonly string[]): string | undefined {
  for (const text of texts) {
    const license = CREATIVE_COMMONS.exec(text)?.[1];
    if (license !== undefined) return `http://${license.toLowerCase()}/`;
    const [, host, statement] = STATEMENT.exec(text) ?? [];
    if (host !== undefined) return `http://${host.toLowerCase()}vocab${statement}/`;
  }
  return undefined;
}
