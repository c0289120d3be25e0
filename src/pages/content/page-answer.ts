import type { FoundContent } from '../../repository/content/read/read-content.ts';
import { contentEtag } from '../../representation/content-json.ts';
import type { Call } from '../../web/call.ts';
import { commonOf, keyOf, linkHeaderOf, linksOf } from '../../web/content-links.ts';
import type { Representation } from '../../web/respond.ts';
import { gatherPage } from './gather-page.ts';
import { pageQuery, pageQueryKey } from './page-query.ts';
import type { GatheredPage } from './shown-content.ts';

/**
 * Returns content as a page. Pages show more than the validator covers: a cached one is valid while the database is
 * unchanged, or while its further data is equal when it is read again.
 */
export async function pageAnswer(call: Call, found: FoundContent): Promise<Representation> {
  const { answers, services } = call.api;
  const query = pageQuery(call.request);
  const { validator } = found;
  const key = `${keyOf(call, found)} ${pageQueryKey(query)}`;
  const cached = answers.get(key);
  const known = cached !== undefined && cached.validator === validator ? cached : undefined;
  // The stamp must precede the reads.
  const stamp = services.database.stamp();
  if (known?.page !== undefined && stamp !== undefined && known.page.stamp === stamp) return known.answer;
  const page = await gatherPage(call, found, query);
  const digest = new Bun.CryptoHasher('sha256').update(JSON.stringify(page.data)).digest('base64');
  if (known?.page?.digest === digest) {
    known.page.stamp = stamp;
    return known.answer;
  }
  const answer = renderPage(call, found, page);
  if (validator !== undefined) answers.set(key, { answer, validator, page: { digest, stamp } });
  return answer;
}

function renderPage(call: Call, found: FoundContent, page: GatheredPage): Representation {
  const { api } = call;
  const { content, surroundings, parsed } = found;
  const links = linksOf(call, found, 'html');
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
