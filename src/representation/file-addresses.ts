import type { Item } from '../model/content-model.ts';

/** References to files with the absolute addresses of their bytes; they are kept root-relative (spec: rest-behaviour, 3.2). */
export function withFileAddresses(items: readonly Item[], baseUrl: string): Item[] {
  return items.map((item) => (typeof item.url === 'string' ? { ...item, url: `${baseUrl}${item.url}` } : item));
}
