import { createHash } from 'node:crypto';
import { type ComponentChildren, h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { ApiDocument } from './document.ts';
import { overviewPage } from './overview-page.ts';
import style from './page.css' with { type: 'text' };
import { shapePage } from './shape-page.ts';

/** The description for people: pages without scripts, which need nothing but themselves. */
export interface Pages {
  /** The Content-Security-Policy of each of them. */
  readonly policy: string;
  readonly overview: () => string;
  /** Undefined for a name that no shape has. */
  readonly shape: (name: string) => string | undefined;
}

/** The pages of a document. The overview is made once, when it is asked for. */
export function createPages(document: ApiDocument): Pages {
  const { title } = document.info;
  let overview: string | undefined;
  return {
    policy: POLICY,
    overview: () => {
      overview ??= pageOf(`API of ${title}`, overviewPage(document));
      return overview;
    },
    shape: (name) => {
      const schema = Object.hasOwn(document.components.schemas, name) && document.components.schemas[name];
      return schema ? pageOf(`${name} in the API of ${title}`, shapePage(name, schema)) : undefined;
    },
  };
}

const digest = createHash('sha256').update(style).digest('base64');
/** The one style sheet is part of the page, and is known by its digest. */
const POLICY = `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`;

function pageOf(title: string, ...content: ComponentChildren[]): string {
  const head = h(
    'head',
    null,
    h('meta', { charset: 'utf-8' }),
    h('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
    h('title', null, title),
    // As it is: in a style sheet nothing is escaped.
    h('style', { dangerouslySetInnerHTML: { __html: style } }),
  );
  return `<!DOCTYPE html>\n${renderToString(h('html', { lang: 'en' }, head, h('body', null, ...content)))}`;
}
