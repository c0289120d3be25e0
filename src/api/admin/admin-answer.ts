import { etagOf } from '../../http/etag.ts';
import type { Page } from '../api-services.ts';
import type { Call } from '../call.ts';
import { representation } from '../respond.ts';

/** Answers a page without a form. */
export function reportAnswer(call: Call, page: Page): Response {
  return representation(call, { ...page, etag: etagOf(page.body), changed: undefined });
}
