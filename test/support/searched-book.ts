import { pngHead } from './binaries.ts';
import { type IiifSite, idOf } from './iiif-site.ts';
import { expectValidSearch } from './search-schema.ts';
import type { EntityJson } from './test-repository.ts';

/** The width and the height of a word, in pixels of the recognized image. The lines are as high, one below the other. */
export const WORD = { width: 50, height: 20 } as const;

/** Returns hOCR of lines, each word in a box of its own. The page has 500 × 1000 pixels. */
export function hocrOf(...lines: readonly string[]): string {
  const word = (text: string, at: number, line: number) =>
    `<span class="ocrx_word" title="bbox ${box(at, at + 1, line)}; x_wconf 90">${Bun.escapeHTML(text)}</span>`;
  const shown = lines.map((text, line) => {
    const words = text.split(' ');
    const inside = words.map((each, at) => word(each, at, line)).join(' ');
    return `<span class="ocr_line" lang="eng" title="bbox ${box(0, words.length, line)}">${inside}</span>`;
  });
  return pageOf(shown.join('\n'));
}

export function pageOf(inside: string): string {
  return `<html><body><div class="ocr_page" title="bbox 0 0 500 1000">${inside}</div></body></html>`;
}

function box(from: number, to: number, line: number): string {
  return [from * WORD.width, line * WORD.height, to * WORD.width, (line + 1) * WORD.height].join(' ');
}

/** Creates a page with a picture of 1000 × 2000 pixels and recognized text. Returns its node and the id of its picture. */
export async function searchedPage(
  site: IiifSite,
  hocr: string,
  { parents = [], fields = {} }: { readonly parents?: readonly EntityJson[]; readonly fields?: object } = {},
): Promise<{ readonly node: EntityJson; readonly image: number; readonly hocr: number }> {
  const node = await site.item('page', parents, fields);
  const image = await site.put(node, 'png', pngHead(1000, 2000));
  const media = await site.put(node, 'hocr', hocr, 'hocr');
  return { node, image, hocr: media };
}

/** The address of a search within a node. */
export function searchAddress(node: EntityJson, query: string): string {
  return `/node/${idOf(node)}/iiif/search?${query}`;
}

/** Searches within a node. Returns the answer, which is valid. */
export async function searchWithin(site: IiifSite, node: EntityJson, q: string, as?: string): Promise<EntityJson> {
  return expectValidSearch(await site.read(searchAddress(node, `${new URLSearchParams({ q })}`), as));
}
