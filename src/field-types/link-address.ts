import type { FieldDefinition } from '../model/content-model.ts';

/** Web schemes with a host behind them. `javascript:` and `data:` would run in the page that links to them. */
const WEB_ADDRESS = /^https?:\/\/[^/\\?#\s]/i;
const MAIL_ADDRESS = /^mailto:[^@]+@[^@]+$/i;
const INTERNAL_PATH = /^internal:[/?#]/;
const ENTITY = /^entity:[a-z_]+\/[\w-]+(?:[?#].*)?$/;
/** Browsers drop some of these from an address before they read its scheme. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about.
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/;

/** Returns true for an address that a link may lead to: on the web, and if allowed mail, paths and entities. */
export function isLinkAddress(uri: string, linkType: FieldDefinition['linkType']): boolean {
  if (CONTROL_CHARACTERS.test(uri) || uri !== uri.trim()) return false;
  if (WEB_ADDRESS.test(uri)) return URL.canParse(uri);
  return linkType !== 'external' && (MAIL_ADDRESS.test(uri) || INTERNAL_PATH.test(uri) || ENTITY.test(uri));
}
