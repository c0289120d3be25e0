import type { FieldTypes } from '../field-types/field-type.ts';
import type { Link } from '../http/link-header.ts';
import type { ContentModel } from '../model/content-model.ts';
import type { Actor } from '../repository/actor.ts';
import type { ParsedContent } from '../repository/content/content.ts';
import type { AttachedFiles } from '../repository/content/find-attached-files.ts';
import type { LinkedContent } from '../repository/content/find-breadcrumbs.ts';
import type { FoundCards } from '../repository/content/find-cards.ts';
import type { NarrowerTerms } from '../repository/content/find-narrower-terms.ts';
import type { Siblings } from '../repository/content/find-siblings.ts';
import type { AttachedMedia, Surroundings } from '../repository/content/surroundings.ts';
import type { MediaFacts } from '../repository/media/media-facts.ts';
import type { Preview } from './preview.ts';
import type { Stage } from './stage.ts';

/** The site of a page. */
export interface Site {
  readonly siteName: string;
  /** Scheme, host and path, without a slash at the end. */
  readonly baseUrl: string;
  readonly theme: SiteTheme;
  /** The signed-in user. Undefined for anonymous callers. */
  readonly user: PageUser | undefined;
}

/** The signed-in user of a page, and the pages beyond those of readers that they may open. */
export interface PageUser {
  readonly id: number;
  readonly name: string;
  readonly mayAdd: boolean;
  readonly mayManage: boolean;
  /** The paths of the pages of `/admin` that the user may open. */
  readonly managed?: readonly string[];
}

/** The settings of a site for its pages. Addresses begin at the root of the site. */
export interface SiteTheme {
  /** The text of the first page. Empty lines separate paragraphs. */
  readonly introduction: string | undefined;
  readonly logo: { readonly path: string; readonly width: number; readonly height: number } | undefined;
  /** The style sheet of the accent colour. */
  readonly stylePath: string | undefined;
  readonly footerLinks: readonly { readonly label: string; readonly href: string }[];
}

/** The sources of a content page in addition to the content. */
export interface PageSource extends Site {
  readonly actor: Actor;
  readonly model: ContentModel;
  readonly fieldTypes: FieldTypes;
}

/** Content for its page, with the related entities that the caller may view and the Signposting links. */
export interface ContentView {
  readonly content: ParsedContent;
  readonly around: Surroundings;
  readonly links: readonly Link[];
  /** The form of values that are not saved. Undefined for stored content. */
  readonly preview?: Preview;
}

/** The formats of entries for reference managers. The first one is the default. */
export const REFERENCE_STYLES = ['bibtex', 'ris', 'csl-json'] as const;
export type ReferenceStyle = (typeof REFERENCE_STYLES)[number];

/** The orders of a list of items on a page. The first one is the default. */
export const PAGE_SORTS = ['order', 'title', 'date', 'newest'] as const;
/** The number of items of such a list on one page. */
export const CARDS_PER_PAGE = 48;
/** The layouts of such a list. The first one is the default. */
export const PAGE_VIEWS = ['grid', 'list'] as const;

/** The query of a content page. */
export interface PageQuery {
  /** The page of the list, from 0. */
  readonly page: number;
  readonly sort: (typeof PAGE_SORTS)[number];
  readonly view: (typeof PAGE_VIEWS)[number];
  /** The page of the list of all files, from 0. Undefined for the first files alone. */
  readonly files: number | undefined;
  /** The id of the collection through which the reader came. Undefined for the first one. */
  readonly collection: number | undefined;
}

/**
 * The further data of a node's page. It is JSON, and contains all that the page shows beside the content, its surroundings
 * and its links: a cached page is valid while it is the same.
 */
export interface NodePageData {
  readonly query: PageQuery;
  readonly files: AttachedFiles;
  /** All media of the node, if it has more than its surroundings hold. */
  readonly everyMedia: readonly AttachedMedia[] | undefined;
  /** The paths from the topmost ancestors to the parents. */
  readonly breadcrumbs: readonly (readonly LinkedContent[])[];
  readonly siblings: Siblings | undefined;
  readonly members: FoundCards;
  readonly stage: Stage | undefined;
}

/** A page of an item with the searched words. */
export interface FoundPage {
  /** The id of its node. */
  readonly id: number;
  readonly label: string;
  readonly language: string | undefined;
  /** The places, in the order of the text. */
  readonly quotes: readonly { readonly before: string; readonly exact: string; readonly after: string }[];
}

/** A page of the result of a search within a node. */
export interface WithinPageData {
  readonly query: string;
  readonly found: readonly FoundPage[];
  readonly page: number;
  readonly pages: number;
  readonly stage: Stage | undefined;
}

/** The further data of a node's page for a frame. */
export interface EmbedPageData {
  /** True if anyone may view the node: other sites may then show the page. */
  readonly isPublic: boolean;
  readonly stage: Stage | undefined;
}

/** A user for their page, with what the caller may view. */
export interface UserPageData {
  readonly id: number;
  readonly name: string;
  readonly query: PageQuery;
  /** The items that the user owns. */
  readonly items: FoundCards;
  /** Which pages of the account the caller may open. Undefined if none. */
  readonly rights: AccountRights | undefined;
}

/** The rights of a caller on an account. */
export interface AccountRights {
  readonly isOwn: boolean;
  readonly mayManage: boolean;
  readonly mayCancel: boolean;
  readonly isBlocked: boolean;
}

/** The further data of a media's page, as for nodes. */
export interface MediaPageData {
  readonly stage: Stage | undefined;
  readonly facts: MediaFacts;
}

/** The further data of a term's page, as for nodes. */
export interface TermPageData {
  readonly query: PageQuery;
  readonly narrower: NarrowerTerms;
  /** The items that refer to the term. */
  readonly items: FoundCards;
}
