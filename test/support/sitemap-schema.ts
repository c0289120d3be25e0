import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { XmlDocument, XsdValidator } from 'libxml2-wasm';

const file = resolve(import.meta.dir, '../fixtures/harvest/sitemap.xsd');
const schema = XsdValidator.fromDoc(XmlDocument.fromString(readFileSync(file, 'utf8'), { url: file }));

/** Throws an error with the differences unless a text is a valid sitemap, or an index of sitemaps. */
export function validateSitemap(text: string): void {
  const document = XmlDocument.fromString(text);
  try {
    schema.validate(document);
  } finally {
    document.dispose();
  }
}
