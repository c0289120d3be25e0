import type { Page, Pages } from '../api/api-services.ts';
import { actionPage } from '../pages/action-page.tsx';
import { contentPage } from '../pages/content-page.tsx';
import { errorPage } from '../pages/error-page.tsx';
import { pageSecurityPolicy } from '../pages/layout.tsx';

/** The HTML pages for the API. */
export const pages: Pages = {
  content: (content, around, links, from) => asPage(contentPage(content, around, links, from)),
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
