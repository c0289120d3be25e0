import type { JsonObject, JsonValue } from '../../base/json.ts';
import type { PackageFile } from '../files/package.ts';

/** The longest text of a media and of a node, twice, as it is and as it is shown, with room for the rest. */
const MAX_DOCUMENT_BYTES = 32 * 1024 * 1024;

/** A document of a package, or why it cannot be read. */
export type ReadDocument = { readonly document: JsonObject } | { readonly problem: string };

/** Reads a JSON object from a file of a package; never more of it than a document can be long. */
export async function readDocument(file: PackageFile): Promise<ReadDocument> {
  const tooLong = { problem: `It is longer than the ${MAX_DOCUMENT_BYTES} bytes that the JSON of an entity may have.` };
  if (file.bytes > MAX_DOCUMENT_BYTES) return tooLong;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of file.open()) {
    bytes += chunk.byteLength;
    if (bytes > MAX_DOCUMENT_BYTES) return tooLong;
    chunks.push(chunk);
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
    const value = JSON.parse(text) as JsonValue;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { document: value };
    return { problem: 'It must be a JSON object that holds the fields of the entity.' };
  } catch (error) {
    // Of what nobody trusts, more may be wrong than the syntax: it may be nested too deep to be read.
    const reason = error instanceof Error ? error.message : String(error);
    return { problem: `It is no JSON in UTF-8: ${reason.replace(/\.$/, '')}.` };
  }
}
