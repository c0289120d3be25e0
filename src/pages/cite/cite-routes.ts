import { Type as t } from '@sinclair/typebox';
import { malformed } from '../../base/errors.ts';
import { contentDisposition } from '../../http/content-disposition.ts';
import { etagOf } from '../../http/etag.ts';
import { paths } from '../../paths.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { linksOf } from '../../web/content-links.ts';
import { noteUse } from '../../web/count-use.ts';
import { describe, READ_CONDITIONS, versioned } from '../../web/openapi/describe.ts';
import { id, parameter, queryOf } from '../../web/parameters.ts';
import { representation } from '../../web/respond.ts';
import type { PageSource } from '../../web/site.ts';
import type { ContentView } from '../content/shown-content.ts';
import { describeContent } from '../description/description.ts';
import { viewOf } from '../view.ts';
import { bibtex } from './bibtex.ts';
import { type CitedWork, citedWork } from './cited-work.ts';
import { cslItem } from './csl-item.ts';
import { ris } from './ris.ts';

/** The formats of entries for reference managers. The first one is the default. */
const REFERENCE_STYLES = ['bibtex', 'ris', 'csl-json'] as const;
type ReferenceStyle = (typeof REFERENCE_STYLES)[number];

const WRITE: Readonly<Record<ReferenceStyle, (work: CitedWork) => string>> = {
  bibtex,
  ris,
  'csl-json': (work) => `${JSON.stringify([cslItem(work)], null, 2)}\n`,
};

/** Returns a node as an entry for reference managers. */
function referenceEntry({ content, around, links }: ContentView, style: ReferenceStyle, source: PageSource): string {
  const described = describeContent(viewOf(content, around, source), links);
  return WRITE[style](citedWork(described, source.siteName, `node-${content.head.id}`));
}

const FILES: Readonly<Record<ReferenceStyle, { readonly type: string; readonly extension: string }>> = {
  bibtex: { type: 'application/x-bibtex', extension: 'bib' },
  ris: { type: 'application/x-research-info-systems', extension: 'ris' },
  'csl-json': { type: 'application/vnd.citationstyles.csl+json', extension: 'json' },
};
const MAX_SHOWN_CHARACTERS = 20;

const style = parameter<ReferenceStyle>(
  { type: 'string', enum: REFERENCE_STYLES, description: 'The format of the entry.', default: REFERENCE_STYLES[0] },
  (text) => REFERENCE_STYLES.some((each) => each === text),
  (value) =>
    malformed(
      `The query parameter "style" must be one of ${REFERENCE_STYLES.join(', ')}, found "${String(value).slice(0, MAX_SHOWN_CHARACTERS)}".`,
    ),
);

/** The route of the entries of a node for reference managers. */
export const citeRoutes = (api: ApiServices) =>
  resource(api).get(paths.nodeCite, async ({ call, query }) => answerEntry(call, query.style ?? REFERENCE_STYLES[0]), {
    check: { resource: 'node.cite', formats: 'single' },
    params: t.Object({ node: id('The id of the node.') }),
    query: queryOf({ style: t.Optional(style) }),
    detail: describe({
      operationId: 'citeNode',
      tag: 'content',
      summary: 'Read a node as an entry for reference managers',
      description: 'BibTeX, RIS or CSL-JSON, with what the caller may view.',
      headers: READ_CONDITIONS,
      responses: versioned(
        'The entry.',
        Object.fromEntries(Object.values(FILES).map(({ type }) => [type, t.String({ description: 'The entry.' })])),
      ),
      failures: [400, 403, 404, 412],
    }),
  });

async function answerEntry(call: Call, chosen: ReferenceStyle): Promise<Response> {
  const { api, pageSource } = call;
  const entity = await call.readContent('node', 'always');
  if (entity === undefined) throw call.notFound('node');
  call.allow(entity.access);
  noteUse(call, 'page', entity.content.head.id);
  const { content, surroundings, parsed } = entity;
  const body = referenceEntry(
    { content: parsed(), around: surroundings, links: linksOf(call, entity, undefined) },
    chosen,
    pageSource,
  );
  const { type, extension } = FILES[chosen];
  return representation(call, {
    body,
    etag: etagOf(`${api.edition}${body}`),
    // Terms and other entities are part of it.
    changed: undefined,
    contentType: `${type}; charset=utf-8`,
    headers: { 'Content-Disposition': contentDisposition('attachment', `node-${content.head.id}.${extension}`) },
  });
}
