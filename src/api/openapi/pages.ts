import { createHash } from 'node:crypto';
import type { AnyElysia } from 'elysia';
import type { ComponentChildren } from 'preact';
import { h } from '../../base/markup/jsx-runtime.ts';
import type { ApiServices } from '../../web/api-services.ts';
import { type ApiDocument, createDocument, createDocumentText } from './document.ts';
import { overviewPage } from './overview-page.ts';
import style from './page.css' with { type: 'text' };
import { schemaPage } from './schema-page.ts';

/** The description of the API, as JSON and as HTML pages without scripts. */
export interface ApiDescription {
  /** Returns the document as JSON for a base URL. */
  readonly textFor: (baseUrl: string) => string;
  /** The Content-Security-Policy of the pages. */
  readonly policy: string;
  readonly overview: () => string;
  /** Returns the page of a schema. Undefined if the name is unknown. */
  readonly schema: (name: string) => string | undefined;
}

/** Describes the routes of an app. This module and its imports are costly: they are loaded on the first request. */
export function describeApi(api: ApiServices, app: AnyElysia): ApiDescription {
  const document = createDocument(api, app);
  return { textFor: createDocumentText(document), policy: POLICY, ...createPages(document) };
}

function createPages(document: ApiDocument): Pick<ApiDescription, 'overview' | 'schema'> {
  const { title } = document.info;
  const { schemas } = document.components;
  let overview: string | undefined;
  return {
    overview: () => {
      overview ??= pageOf(`API of ${title}`, overviewPage(document));
      return overview;
    },
    schema: (name) => {
      const schema = Object.hasOwn(schemas, name) && schemas[name];
      return schema ? pageOf(`${name} in the API of ${title}`, schemaPage(name, schema)) : undefined;
    },
  };
}

const digest = createHash('sha256').update(style).digest('base64');
/** Allows the style sheet in the page by its digest. */
const POLICY = `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`;

function pageOf(title: string, ...content: ComponentChildren[]): string {
  const head = h(
    'head',
    null,
    h('meta', { charset: 'utf-8' }),
    h('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
    h('title', null, title),
    // A style sheet has no escapes.
    h('style', { dangerouslySetInnerHTML: { __html: style } }),
  );
  return `<!DOCTYPE html>\n${h('html', { lang: 'en' }, head, h('body', null, ...content)).html}`;
}
