import { XML_DECLARATION, xmlAttribute, xmlText } from '../../base/xml.ts';
import { paths } from '../../paths.ts';

/** The media type of a description (OpenSearch 1.1). */
export const DESCRIPTION_TYPE = 'application/opensearchdescription+xml';
/** The media type of suggestions for the address bar of a browser (OpenSearch Suggestions 1.1). */
export const SUGGESTIONS_TYPE = 'application/x-suggestions+json';
/** OpenSearch 1.1: at most 16 characters for a short name, 48 for a long one. */
const MAX_SHORT_NAME = 16;
const MAX_LONG_NAME = 48;

/** Returns the description by which browsers search this site from their address bar (OpenSearch 1.1). */
export function openSearchDescription({ siteName, baseUrl }: { siteName: string; baseUrl: string }): string {
  const search = baseUrl + paths.search;
  return `${XML_DECLARATION}<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
  <ShortName>${xmlText(shortened(siteName, MAX_SHORT_NAME))}</ShortName>
  <LongName>${xmlText(shortened(siteName, MAX_LONG_NAME))}</LongName>
  <Description>${xmlText(`Search ${siteName}`)}</Description>
  <InputEncoding>UTF-8</InputEncoding>
  <OutputEncoding>UTF-8</OutputEncoding>
  <Image height="32" width="32" type="image/x-icon">${xmlText(baseUrl + paths.favicon)}</Image>
  <Url type="text/html" template="${xmlAttribute(`${search}?q={searchTerms}`)}"/>
  <Url type="application/json" template="${xmlAttribute(`${search}?q={searchTerms}&_format=json`)}"/>
  <Url type="${SUGGESTIONS_TYPE}" rel="suggestions" template="${xmlAttribute(`${baseUrl}${paths.searchSuggest}?q={searchTerms}&_format=suggestions`)}"/>
  <Url type="${DESCRIPTION_TYPE}" rel="self" template="${xmlAttribute(baseUrl + paths.openSearch)}"/>
</OpenSearchDescription>
`;
}

/** Returns a name of at most `limit` characters, whole words if possible. */
function shortened(name: string, limit: number): string {
  const characters = [...name];
  if (characters.length <= limit) return name;
  const cut = characters.slice(0, limit - 1).join('');
  const words = cut.slice(0, Math.max(0, cut.lastIndexOf(' ')));
  return `${words === '' ? cut : words}…`;
}
