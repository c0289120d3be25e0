import type { Page, Pages } from '../api/api-services.ts';
import { actionPage } from '../pages/action-page.tsx';
import { errorPage } from '../pages/error-page.tsx';
import { itemPage } from '../pages/item/item-page.tsx';
import { pageSecurityPolicy } from '../pages/layout.tsx';
import { mediaPage } from '../pages/media/media-page.tsx';
import { termPage } from '../pages/term/term-page.tsx';

/** The HTML pages for the API. */
export const pages: Pages = {
  node: (shown, data, source) => asPage(itemPage(shown, data, source)),
  media: (shown, data, source) => asPage(mediaPage(shown, data, source)),
  term: (shown, data, source) => asPage(termPage(shown, data, source)),
  error: (status, message, from) => asPage(errorPage(status, message, from)),
  action: (action, from, userName) => asPage(actionPage(action, from, userName)),
};

function asPage(body: string): Page {
  return {
    body,
    contentType: 'text/html; charset=utf-8',
    headers: { 'Content-Security-Policy': pageSecurityPolicy, 'Referrer-Policy': 'same-origin' },
  };
}
