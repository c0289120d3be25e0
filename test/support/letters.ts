import { SiteBuilder } from './site-builder.ts';

const BYTES = 1_000;

/**
 * Creates the example of the pages about loading and storage: node 1, a collection of letters, and `count`
 * letters in it, of a thousand bytes each. The first is `public://letters/1.txt`.
 */
export async function putLetters(service: { url: string }, authorization: string, count: number): Promise<void> {
  const build = new SiteBuilder({
    fetch: (path, init = {}) =>
      fetch(service.url + path, { ...init, headers: { ...(init.headers as object), Authorization: authorization } }),
  });
  const parent = await build.node('collection', 'Letters');
  for (let number = 1; number <= count; number += 1) {
    const node = await build.node('document', `Letter ${number}`, { field_member_of: [parent] });
    const bytes = `Letter ${number}. `.padEnd(BYTES, 'Dear reader, ');
    await build.upload(node, { media: 'file', uri: `public://letters/${number}.txt`, bytes });
  }
}
