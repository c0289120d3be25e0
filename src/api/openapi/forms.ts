import type { AnyElysia } from 'elysia';
import type { ApiServices } from '../api-services.ts';
import { createDocument } from './document.ts';
import { createDocumentText } from './document-text.ts';
import { createPages, type Pages } from './pages.ts';

/** The description of the API in the forms in which it is handed out. */
export interface DescribedApi {
  /** The document as JSON text for callers of a base URL. */
  readonly textFor: (baseUrl: string) => string;
  readonly pages: Pages;
}

/** Describes the routes of an app. All that is costly about the description is loaded with this file. */
export function describeApi(api: ApiServices, app: AnyElysia): DescribedApi {
  const document = createDocument(api, app);
  return { textFor: createDocumentText(document), pages: createPages(document) };
}
