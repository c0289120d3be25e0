import { Type as t } from '@sinclair/typebox';
import { contrastOf, isHexColour, leastContrast, nearestWithContrast } from '../base/contrast.ts';
import { map, text } from './entry-types.ts';
import { type EntryType, setting } from './setting.ts';

/** The colours behind text, as in `src/pages/assets/tokens.css`: paper and cards. */
export const LIGHT_PAPERS = ['#fbfaf7', '#ffffff'];
export const DARK_PAPERS = ['#15171b', '#1d2025'];
/** The minimum contrast of text (WCAG 2.2, 1.4.3, AA). */
const MIN_CONTRAST = 4.5;

/** Which addresses search engines should leave out. */
const DEFAULT_ROBOTS = `User-agent: *
Disallow: /admin/
Disallow: /user/login
`;
const MAX_ROBOTS_CHARS = 100_000;
const MAX_INTRODUCTION_CHARS = 5_000;

/** A link at the end of every page. */
interface FooterLink {
  readonly label: string;
  readonly href: string;
}

function lines(maxLength: number): EntryType<string> {
  return { schema: t.String({ minLength: 1, maxLength, description: `text of at most ${maxLength} characters` }) };
}

/** A colour of text on some papers. */
function accent(papers: readonly string[], paperName: string): EntryType<string> {
  return text('a colour such as "#0b4f6c"', (entry) => {
    if (!isHexColour(entry)) throw new RangeError(`must be a colour such as "#0b4f6c", found "${entry}"`);
    const least = leastContrast(entry, papers);
    if (least >= MIN_CONTRAST) return entry.toLowerCase();
    const worst = papers.find((paper) => contrastOf(entry, paper) === least);
    const nearest = nearestWithContrast(entry, papers, MIN_CONTRAST);
    throw new RangeError(
      `must have a contrast of at least ${MIN_CONTRAST}:1 with the ${paperName} ${worst}, found "${entry}" with ${least.toFixed(1)}:1; the nearest colour with enough contrast is "${nearest}"`,
    );
  });
}

const FOOTER_LINKS = 'a map of texts to addresses';

const footerLinks = map<readonly FooterLink[]>(FOOTER_LINKS, (entries, reader, path) =>
  Object.entries(entries as Record<string, unknown>).flatMap(
    ([label, href]) => reader.parsed([...path, label], href, (given) => ({ label, href: parseLink(given) })) ?? [],
  ),
);

/** Returns an address that a page may link to: of this site, of the web, or of mail. */
function parseLink(entry: unknown): string {
  if (typeof entry === 'string' && (/^\/(?![/\\])\S*$/.test(entry) || /^(?:https?:\/\/|mailto:)[^\s/]\S*$/.test(entry)))
    return entry;
  throw new RangeError('must be a path of this site such as /node/12, or an address such as https://example.org/help');
}

/** The settings of the pages. */
export const SITE_SETTINGS = {
  /** The text under the name on the first page. Empty lines separate paragraphs. */
  introduction: setting('site.introduction', lines(MAX_INTRODUCTION_CHARS)),
  /** The file of an image that replaces the name in the header. */
  logo: setting('site.logo', text('the path of a file')),
  /** The colour of links and buttons. */
  accent: setting('site.accent', accent(LIGHT_PAPERS, 'paper')),
  /** The same in dark mode. Undefined: derived from `accent`. */
  accentDark: setting('site.accentDark', accent(DARK_PAPERS, 'dark paper')),
  footerLinks: setting('site.footerLinks', footerLinks, { default: [] }),
  /** The text of `/robots.txt`. */
  robots: setting('site.robots', lines(MAX_ROBOTS_CHARS), { default: DEFAULT_ROBOTS }),
};
