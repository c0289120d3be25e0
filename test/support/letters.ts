import type { EntityJson } from './test-repository.ts';

const COLLECTION = 'http://purl.org/dc/dcmitype/Collection';
const DOCUMENT = 'https://schema.org/DigitalDocument';
const ORIGINAL = 'http://pcdm.org/use#OriginalFile';
const BYTES = 1_000;

/**
 * Creates the example of the pages about loading and storage: node 1, a collection of letters, and `count`
 * letters in it, of a thousand bytes each. The first is `public://letters/1.txt`.
 */
export async function putLetters(service: { url: string }, authorization: string, count: number): Promise<void> {
  const send = async (path: string, init: RequestInit, headers: Record<string, string> = {}): Promise<EntityJson> => {
    const response = await fetch(new URL(path, service.url), {
      ...init,
      headers: { Authorization: authorization, ...headers },
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json() as Promise<EntityJson>;
  };
  const termId = async (uri: string): Promise<number> =>
    (await send(`/term_from_uri?_format=json&uri=${encodeURIComponent(uri)}`, {}))[0].tid[0].value;
  const makeNode = async (title: string, fields: object): Promise<number> => {
    const body = JSON.stringify({ type: 'islandora_object', title: [title], ...fields });
    const headers = { 'Content-Type': 'application/json' };
    return (await send('/node?_format=json', { method: 'POST', body }, headers)).nid[0].value;
  };
  const [collection, document, original] = [await termId(COLLECTION), await termId(DOCUMENT), await termId(ORIGINAL)];
  const parent = await makeNode('Letters', { field_model: [collection] });
  for (let number = 1; number <= count; number += 1) {
    const node = await makeNode(`Letter ${number}`, { field_model: [document], field_member_of: [parent] });
    const body = `Letter ${number}. `.padEnd(BYTES, 'Dear reader, ');
    const headers = { 'Content-Type': 'text/plain', 'Content-Location': `public://letters/${number}.txt` };
    await send(`/node/${node}/media/file/${original}`, { method: 'PUT', body }, headers);
  }
}
