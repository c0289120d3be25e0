import type { Site } from './site.ts';
import type { As } from './test-repository.ts';

/** A page of the fixture site. */
export interface SitePage {
  /** The name of its screenshots. */
  readonly name: string;
  path(site: Site): string;
  readonly as?: As;
  /** Default: 200. */
  readonly status?: number;
  /** The button that leads from the page to the one that is meant: no address has it. */
  readonly press?: string;
  /** True for the form of all fields of a type, which is longer than a page for readers. */
  readonly isForm?: boolean;
  /** True for the pages whose dark colours are checked also at the small size of tests. */
  readonly isRepresentative?: boolean;
}

/** Every kind of page, by what a reader comes for. */
export const SITE_PAGES: readonly SitePage[] = [
  { name: 'home', path: () => '/', isRepresentative: true },
  { name: 'collections', path: () => '/collections' },
  { name: 'collection', path: ({ ids }) => `/node/${ids.photographs}`, isRepresentative: true },
  { name: 'collection-second-page', path: ({ ids }) => `/node/${ids.photographs}?page=1` },
  { name: 'collection-of-collections', path: ({ ids }) => `/node/${ids.commission}` },
  { name: 'collection-empty', path: ({ ids }) => `/node/${ids.empty}` },
  { name: 'search', path: () => '/search?q=harbour', isRepresentative: true },
  { name: 'search-everything', path: () => '/search' },
  { name: 'search-filtered', path: ({ ids }) => `/search?f.collection=${ids.photographs}&from=1890&to=1929` },
  { name: 'search-grid', path: () => '/search?q=the&view=grid&page=1' },
  { name: 'search-facet', path: () => '/search?more=subject' },
  { name: 'search-nothing', path: ({ ids }) => `/search?q=harbuor&f.subject=${ids.subject}` },
  { name: 'error-400', path: () => '/search?f.colour=1', status: 400 },
  { name: 'image', path: ({ ids }) => `/node/${ids.image}`, isRepresentative: true },
  { name: 'image-missing', path: ({ ids }) => `/node/${ids.bare}` },
  { name: 'book', path: ({ ids }) => `/node/${ids.book}` },
  { name: 'book-page', path: ({ ids }) => `/node/${ids.page}` },
  { name: 'compound', path: ({ ids }) => `/node/${ids.compound}` },
  { name: 'audio', path: ({ ids }) => `/node/${ids.audio}` },
  { name: 'video', path: ({ ids }) => `/node/${ids.video}` },
  { name: 'pdf', path: ({ ids }) => `/node/${ids.pdf}` },
  { name: 'media', path: ({ ids }) => `/media/${ids.imageMedia}` },
  { name: 'term', path: ({ ids }) => `/taxonomy/term/${ids.subject}` },
  { name: 'user', path: ({ ids }) => `/user/${ids.librarian}`, as: 'librarian' },
  { name: 'revisions', path: ({ ids }) => `/node/${ids.image}/revisions`, as: 'librarian' },
  {
    name: 'revision',
    path: ({ ids }) => `/node/${ids.image}/revisions/${ids.imageRevision}/view`,
    as: 'librarian',
  },
  {
    name: 'comparison',
    path: ({ ids }) => `/node/${ids.image}/revisions?left=${ids.imageRevision}`,
    as: 'librarian',
  },
  { name: 'status', path: () => '/admin/reports/status', as: 'admin' },
  { name: 'fixity', path: () => '/admin/reports/fixity', as: 'admin' },
  { name: 'usage', path: () => '/admin/reports/usage', as: 'admin' },
  { name: 'traffic', path: () => '/admin/reports/traffic', as: 'admin' },
  { name: 'access rules', path: () => '/admin/reports/access?list=all', as: 'admin' },
  { name: 'tasks', path: () => '/admin/tasks', as: 'admin' },
  { name: 'derivatives', path: () => '/admin/reports/derivatives?_format=html', as: 'admin' },
  { name: 'settings', path: () => '/admin/config/islandora/core?_format=html', as: 'admin' },
  { name: 'sign-in', path: () => '/user/login' },
  { name: 'sign-out', path: () => '/user/logout', as: 'librarian' },
  { name: 'manage', path: () => '/admin', as: 'admin', isRepresentative: true },
  { name: 'add', path: () => '/node/add', as: 'admin' },
  { name: 'form-new', path: () => '/node/add/islandora_object', as: 'admin', isForm: true, isRepresentative: true },
  { name: 'form-stored', path: ({ ids }) => `/node/${ids.image}/edit`, as: 'admin', isForm: true },
  { name: 'form-media', path: ({ ids }) => `/media/${ids.imageMedia}/edit`, as: 'admin' },
  { name: 'form-term', path: ({ ids }) => `/taxonomy/term/${ids.subject}/edit`, as: 'admin' },
  { name: 'preview', path: ({ ids }) => `/node/${ids.image}/edit`, as: 'admin', press: 'Preview' },
  { name: 'preview-media', path: ({ ids }) => `/media/${ids.imageMedia}/edit`, as: 'admin', press: 'Preview' },
  { name: 'preview-term', path: ({ ids }) => `/taxonomy/term/${ids.subject}/edit`, as: 'admin', press: 'Preview' },
  { name: 'delete', path: ({ ids }) => `/node/${ids.photographs}/delete`, as: 'admin' },
  { name: 'order', path: ({ ids }) => `/node/${ids.book}/order`, as: 'admin', isRepresentative: true },
  { name: 'vocabularies', path: () => '/taxonomy', as: 'admin' },
  { name: 'vocabulary', path: () => '/taxonomy/manage/subject', as: 'admin' },
  { name: 'merge-term', path: ({ ids }) => `/taxonomy/manage/subject/merge/${ids.subject}`, as: 'admin' },
  { name: 'similar-terms', path: () => '/taxonomy/manage/subject/similar', as: 'admin' },
  { name: 'unused-terms', path: () => '/taxonomy/manage/resource_types/unused', as: 'admin' },
  { name: 'unpublished', path: ({ ids }) => `/node/${ids.hidden}`, as: 'librarian' },
  { name: 'error-401', path: ({ ids }) => `/node/${ids.hidden}`, status: 401 },
  { name: 'error-403', path: ({ ids }) => `/node/${ids.hidden}`, as: 'reader', status: 403 },
  { name: 'error-404', path: () => '/node/999999', status: 404, isRepresentative: true },
];

export const WIDTHS = { phone: 390, desk: 1280 } as const;
export const SCHEMES = ['light', 'dark'] as const;
