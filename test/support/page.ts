import { builtInTypes } from '../../src/field-types/registry.ts';
import type { Link } from '../../src/http/link-header.ts';
import type { ContentModel } from '../../src/model/content-model.ts';
import type { PageQuery } from '../../src/pages/content/page-query.ts';
import { itemPage } from '../../src/pages/item/item-page.tsx';
import type { NodePageData } from '../../src/pages/item/node-page-data.ts';
import { mediaPage } from '../../src/pages/media/media-page.tsx';
import { type TermPageData, termPage } from '../../src/pages/term/term-page.tsx';
import { mediaStage } from '../../src/pages/viewer/media-stage.ts';
import type { Actor } from '../../src/repository/actor.ts';
import type { ParsedContent } from '../../src/repository/content/content.ts';
import type {
  AttachedMedia,
  Neighbour,
  SourceFile,
  Surroundings,
} from '../../src/repository/content/read/surroundings.ts';
import type { PageSource, SiteTheme } from '../../src/web/site.ts';
import { UNRESTRICTED } from './unrestricted.ts';

/** One element of a page. */
export interface PageElement {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Of it and of what is in it, as a reader sees it. */
  readonly text: string;
}

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#039;': "'", '&amp;': '&' },
};

/** The elements of an HTML text that a selector names, in their order, as an independent parser finds them. */
export function elementsOf(html: string, selector: string): PageElement[] {
  const found: { tag: string; attributes: Record<string, string>; text: string }[] = [];
  const open: { text: string }[] = [];
  const rewriter = new HTMLRewriter().on(selector, {
    element(element) {
      const attributes = Object.fromEntries([...element.attributes].map(([name, value]) => [name, decode(value)]));
      const made = { tag: element.tagName, attributes, text: '' };
      found.push(made);
      if (element.selfClosing || !element.canHaveContent) return;
      open.push(made);
      element.onEndTag(() => void open.splice(open.indexOf(made), 1));
    },
  });
  rewriter.onDocument({
    text(chunk) {
      for (const each of open) each.text += chunk.text;
    },
  });
  rewriter.transform(html);
  return found.map((each) => ({ ...each, text: decode(each.text).trim() }));
}

/** The values under a label among the details of a page. */
export function detail(html: string, label: string): string[] {
  const values: string[] = [];
  let isUnder = false;
  for (const { tag, text } of elementsOf(html, '.fields dt, .fields dd')) {
    if (tag === 'dt') isUnder = text === label;
    else if (isUnder) values.push(text);
  }
  return values;
}

/** A selector of scripts that browsers may run, beside the modules of pages. Data in JSON-LD is none. */
export const RUNNING_SCRIPT = 'script:not([type="application/ld+json"]):not([src^="/assets/"])';

/** Every address that a page leads to or fetches from. Names of vocabularies lead nowhere. */
export function addressesIn(html: string): string[] {
  const selector = ['href', 'src', 'poster', 'action', 'srcset'].map((name) => `[${name}]:not([rel^="schema."])`);
  return elementsOf(html, selector.join()).flatMap(({ attributes }) =>
    ['href', 'src', 'poster', 'action', 'srcset'].flatMap((name) => attributes[name] ?? []),
  );
}

function decode(text: string): string {
  return text.replace(/&(?:lt|gt|quot|#039|amp);/g, (entity) => ENTITIES[entity] ?? entity);
}

/** The look of a site without settings. */
export const PLAIN_THEME: SiteTheme = {
  introduction: undefined,
  logo: undefined,
  logoDark: undefined,
  menu: [],
  contact: undefined,
  stylePath: undefined,
  footerLinks: [],
};

/** Returns the site and caller of the pages of a test. */
export function pageSource(model: ContentModel, changes: Partial<PageSource> = {}): PageSource {
  const facts = { id: 0, uuid: '', name: '', roles: [], isAuthenticated: false };
  const actor: Actor = { ...facts, ...UNRESTRICTED, may: () => false };
  return {
    actor,
    baseUrl: 'http://repo.example',
    siteName: 'Town Archive',
    theme: PLAIN_THEME,
    user: undefined,
    model,
    fieldTypes: builtInTypes,
    ...changes,
  };
}

/** A term, node or media beside the content of a page. */
export function neighbour(changes: Partial<Neighbour> = {}): Neighbour {
  return {
    ...{ type: 'taxonomy_term', id: 1, bundle: 'subject', ownerId: 1, status: true, label: 'Name', accessSet: 0 },
    ...{ externalUri: undefined, authorityUri: undefined },
    ...changes,
  };
}

/** A file of a type. */
export function sourceFile(filemime: string, uri: string): SourceFile {
  return { id: 7, ownerId: 1, uri, filemime };
}

/** A media of a node, with a file, for a use such as `ServiceFile`. */
export function attached(id: number, use: string, file: SourceFile | undefined, label = `media ${id}`): AttachedMedia {
  const term = neighbour({ id: 900 + id, label: use, externalUri: `http://pcdm.org/use#${use}` });
  return { ...neighbour({ type: 'media', id, bundle: 'image', label }), uses: [term], file };
}

const FIRST_PAGE: PageQuery = { page: 0, sort: 'order', view: 'grid', files: undefined, collection: undefined };
/** The further data of a node without neighbours. */
export const LONELY_NODE: NodePageData = {
  query: FIRST_PAGE,
  files: { sizes: {}, text: undefined },
  everyMedia: undefined,
  breadcrumbs: [],
  siblings: undefined,
  members: { cards: [], total: 0, hasMore: false },
  stage: undefined,
  use: undefined,
  access: undefined,
  failures: [],
};

const LONELY_TERM: TermPageData = {
  query: FIRST_PAGE,
  narrower: { terms: [], hasMore: false },
  items: { cards: [], total: 0, hasMore: false },
};

/** Returns the text of the page of content of any kind, without neighbours unless `data` of a node holds some. */
export function contentPage(
  content: ParsedContent,
  around: Surroundings,
  links: readonly Link[],
  source: PageSource,
  data = LONELY_NODE,
): string {
  const shown = { content, around, links };
  if (content.kind.type === 'media') {
    const stage = mediaStage(content, around.file, source);
    return mediaPage(shown, { stage, facts: { file: undefined, technical: undefined } }, source).body;
  }
  const page =
    content.kind.type === 'taxonomy_term' ? termPage(shown, LONELY_TERM, source) : itemPage(shown, data, source);
  return page.body;
}
