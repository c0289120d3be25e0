/** Everything that changes in a text or an attribute. Most texts have none of it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters.
const SPECIAL = /[&<>"\u0000-\u001f\ud800-\udfff\ufffe\uffff]/;
/** Control characters that XML 1.0 excludes (2.2), and the noncharacters U+FFFE and U+FFFF. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters.
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const IN_TEXT = /[&<>\r]/g;
const IN_ATTRIBUTE = /[&<>"\t\n\r]/g;
const ENTITIES: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' },
  // A parser would change these: line ends (XML 1.0, 2.11), and all white space of attributes (3.3.3).
  ...{ '\r': '&#13;', '\t': '&#9;', '\n': '&#10;' },
};

/** The first line of an XML document. */
export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** Returns text as the content of an XML element. Removes characters that XML excludes; replaces unpaired surrogates. */
export function xmlText(text: string): string {
  return SPECIAL.test(text) ? inXml(text).replace(IN_TEXT, entityOf) : text;
}

/** Returns text as the value of an XML attribute in double quotes. */
export function xmlAttribute(text: string): string {
  return SPECIAL.test(text) ? inXml(text).replace(IN_ATTRIBUTE, entityOf) : text;
}

function inXml(text: string): string {
  return text.toWellFormed().replace(NOT_IN_XML, '');
}

function entityOf(character: string): string {
  return ENTITIES[character] ?? character;
}
