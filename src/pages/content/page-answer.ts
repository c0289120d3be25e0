import type { ContentInContext } from '../../repository/content/read/read-content.ts';
import { contentEtag } from '../../representation/content-json.ts';
import type { Call } from '../../web/call.ts';
import { commonOf, linkHeaderOf, linksOf } from '../../web/content-links.ts';
import type { Representation } from '../../web/respond.ts';
import { gatherPage } from './gather-page.ts';
import { pageQuery } from './page-query.ts';

/** Returns content as a page. Throws `malformed` for an invalid query. */
export async function pageAnswer(call: Call, entity: ContentInContext): Promise<Representation> {
  const { api } = call;
  const { content, surroundings, parsed } = entity;
  const links = linksOf(call, entity, 'html');
  const page = await gatherPage(call, entity, pageQuery(call.request));
  const { body, contentType, headers, noncePlaceholder } = page.render(
    { content: parsed(), around: surroundings, links },
    call.pageSource,
  );
  const common = commonOf(call, content, linkHeaderOf(links, surroundings));
  return {
    ...common,
    body,
    contentType,
    noncePlaceholder,
    headers: { ...common.headers, ...headers },
    etag: contentEtag(content, api, `html ${body}${common.link}`),
  };
}
