import { Type as t } from '@sinclair/typebox';
import { contrastOf, isHexColour, leastContrast, nearestWithContrast } from '../base/contrast.ts';
import { map, text } from './entry-types.ts';
import { type EntryType, type Setting, setting, settingsIn } from './setting.ts';

/** The colours behind text, as in `src/pages/assets/tokens.css`: paper and cards. */
export const LIGHT_PAPERS = ['#fbfaf7', '#ffffff'];
export const DARK_PAPERS = ['#15171b', '#1d2025'];
/** The minimum contrast of text (WCAG 2.2, 1.4.3, AA). */
const MIN_CONTRAST = 4.5;

const MAX_ROBOTS_CHARS = 100_000;
const MAX_INTRODUCTION_CHARS = 5_000;
const MAIL_ADDRESS = /^[^\s@<>",;:()[\]\\/]+@[^\s@<>",;:()[\]\\/]+$/;

/** A link in the header or at the end of every page. */
export interface SiteLink {
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

const siteLinks = map<readonly SiteLink[]>('a map of texts to addresses', (entries, reader, path) =>
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

/** Returns the address to which "Contact" leads. A mail address becomes `mailto:`. */
function parseContact(entry: string): string {
  const address = MAIL_ADDRESS.test(entry) ? `mailto:${entry}` : entry;
  try {
    return parseLink(address);
  } catch {
    throw new RangeError(`must be a mail address or the address of a page, found "${entry}"`);
  }
}

/** The name of the site. */
export const SITE_NAME = setting('siteName', text('text for people to read, in one line'), {
  default: 'Repository',
  changeable: {
    label: 'Name',
    help: 'In the header, in titles, and on the first page. Example: Harbour City Archives',
  },
});

/** The settings of the pages, in the order of their form. */
export const SITE_SETTINGS = {
  /** The file of an image that replaces the name in the header. */
  logo: setting('site.logo', text('the path of a file'), {
    changeable: { label: 'Logo', help: 'An image in the header instead of the name: SVG, PNG, WebP or JPEG.' },
  }),
  /** The same in dark mode. */
  logoDark: setting('site.logoDark', text('the path of a file'), {
    changeable: {
      label: 'Logo in dark mode',
      help: 'The same for devices in dark mode. Without it, they show the logo.',
    },
  }),
  /** The colour of links and buttons. */
  accent: setting('site.accent', accent(LIGHT_PAPERS, 'paper'), {
    changeable: {
      label: 'Accent colour',
      help: 'The colour of links and buttons, dark enough to be read on paper. Example: #8a2b4f',
    },
  }),
  /** The same in dark mode. Undefined: derived from `accent`. */
  accentDark: setting('site.accentDark', accent(DARK_PAPERS, 'dark paper'), {
    changeable: {
      label: 'Accent colour in dark mode',
      help: 'Without it, a lighter one follows from the accent colour.',
    },
  }),
  /** The text under the name on the first page. Empty lines separate paragraphs. */
  introduction: setting('site.introduction', lines(MAX_INTRODUCTION_CHARS), {
    changeable: { label: 'Introduction', help: 'The text of the first page. Empty lines separate paragraphs.' },
  }),
  /** Links in the header, after "Collections". */
  menu: setting('site.menu', siteLinks, {
    default: [],
    changeable: { label: 'Header menu', help: 'Links after “Collections”: paths of this site, or other addresses.' },
  }),
  footerLinks: setting('site.footerLinks', siteLinks, {
    default: [],
    changeable: { label: 'Footer', help: 'Links at the end of every page: paths of this site, or other addresses.' },
  }),
  /** The address of the link "Contact" at the end of every page. */
  contact: setting('site.contact', text('a mail address, or the address of a page', parseContact), {
    changeable: {
      label: 'Contact',
      help: 'A mail address or a page for questions: a link at the end of every page. Example: archives@example.org',
    },
  }),
  /** The text of `/robots.txt`. Undefined: it follows from `robots.policy`. */
  robots: setting('site.robots', lines(MAX_ROBOTS_CHARS)),
};

/** The settings that administrators change at run time, in the order of their form. */
export const CHANGEABLE_SETTINGS: readonly Setting[] = [SITE_NAME, ...settingsIn(SITE_SETTINGS)].filter(
  ({ changeable }) => changeable !== undefined,
);

/** The settings that are images: files of the configuration, or images in the database. */
export const LOGO_SETTINGS: readonly Setting[] = [SITE_SETTINGS.logo, SITE_SETTINGS.logoDark];
