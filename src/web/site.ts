import type { FieldTypes } from '../field-types/field-type.ts';
import type { ContentModel } from '../model/content-model.ts';
import type { Actor } from '../repository/actor.ts';

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
  /** The pages for the management of the repository that the user may open. */
  readonly managed?: readonly ManagedPage[];
}

/** A page for the management of the repository. */
export interface ManagedPage {
  readonly path: string;
  readonly label: string;
  /** The words of `/admin`. Undefined for a page that `/admin` does not list. */
  readonly description?: string;
  /** Tabs lead from each page of a group to the others. */
  readonly group?: 'content';
}

/** The settings of a site for its pages. Addresses begin at the root of the site. */
export interface SiteTheme {
  /** The text of the first page. Empty lines separate paragraphs. */
  readonly introduction: string | undefined;
  readonly logo: SiteLogo | undefined;
  /** The same in dark mode. Undefined: `logo`. */
  readonly logoDark: SiteLogo | undefined;
  /** The style sheet of the accent colour. */
  readonly stylePath: string | undefined;
  /** The links in the header after those of every site. */
  readonly menu: readonly SiteLink[];
  readonly footerLinks: readonly SiteLink[];
  /** The address to which "Contact" leads. */
  readonly contact: string | undefined;
}

/** A link that a site has on every page. */
interface SiteLink {
  readonly label: string;
  readonly href: string;
}

/** An image in the header. Its path begins at the root of the site. */
interface SiteLogo {
  readonly path: string;
  readonly width: number;
  readonly height: number;
}

/** The sources of a content page in addition to the content. */
export interface PageSource extends Site {
  readonly actor: Actor;
  readonly model: ContentModel;
  readonly fieldTypes: FieldTypes;
}
