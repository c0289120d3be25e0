import { dateInWords } from '../../field-types/display/date-in-words.ts';
import { datePartsOf } from '../../field-types/display/date-point.ts';
import { isCalendarDate } from '../../field-types/readable.tsx';
import { filePath } from '../../paths.ts';
import { type Agent, agentName } from '../description/agent.ts';
import { type Description, textsOf } from '../description/description.ts';
import { DCTERMS } from '../description/mapped-values.ts';
import { isJournalArticle } from '../description/work-kind.ts';
import type { View } from '../view.ts';

const PDF = 'application/pdf';
const MAX_KEYWORDS = 30;

/**
 * The tags of Highwire Press, which Google Scholar and reference managers read, and the item type for Zotero, whose translator
 * "Embedded Metadata" would take a page with these tags for a journal article.
 */
export function Highwire({ view, described }: { view: View; described: Description }) {
  const { title, creators, date, language, publishers, identifiers, container, volume, issue, url, kind } = described;
  // Zotero takes any work with a journal for an article.
  const isArticle = isJournalArticle(described);
  const tags: readonly (readonly [string, string | undefined])[] = [
    ['title', title],
    ...creators.map((agent) => ['author', invertedName(agent)] as const),
    ['publication_date', date && publicationDate(date)],
    ['language', language],
    ['publisher', publishers[0]],
    ['journal_title', isArticle ? container : undefined],
    ['volume', volume],
    ['issue', issue],
    ['doi', identifiers.doi],
    ...identifiers.isbn.map((isbn) => ['isbn', isbn] as const),
    ...identifiers.issn.map((issn) => ['issn', issn] as const),
    ...textsOf(described.values, [`${DCTERMS}subject`])
      .slice(0, MAX_KEYWORDS)
      .map((subject) => ['keywords', subject] as const),
    ['public_url', url],
    ['pdf_url', pdfOf(view)],
  ];
  return (
    <>
      {!isArticle && <meta name="z:itemType" content={kind.zotero} />}
      {tags.map(
        ([name, content], at) => content !== undefined && <meta key={at} name={`citation_${name}`} content={content} />,
      )}
    </>
  );
}

function invertedName(agent: Agent): string {
  const name = agentName(agent);
  if ('literal' in name) return name.literal;
  return [name.family, name.given, ...(name.suffix === undefined ? [] : [name.suffix])].join(', ');
}

/**
 * Returns a date as `1908/05/12`, `1908/05` or `1908`; others in words, of which readers take the year. Nothing for one in an
 * unknown year.
 */
function publicationDate(edtf: string): string | undefined {
  if (isCalendarDate(edtf)) return edtf.replaceAll('-', '/');
  return datePartsOf(edtf) && dateInWords(edtf);
}

/** Returns the address of the first PDF of a node that the caller may read. */
function pdfOf({ around, source }: View): string | undefined {
  const file = around.media.map((media) => media.file).find((each) => each?.filemime.toLowerCase() === PDF);
  return file && source.baseUrl + filePath(file.uri);
}
