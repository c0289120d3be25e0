import type { JsonObject } from '../../base/json.ts';
import type { PackageFile } from '../files/package.ts';

/** A file of a package that holds JSON for people to read, too. */
export function jsonFile(document: JsonObject): PackageFile {
  return textFile(`${JSON.stringify(document, null, 2)}\n`);
}

/** A file of a package that holds a text. */
export function textFile(text: string): PackageFile {
  const bytes = Buffer.from(text);
  return {
    bytes: bytes.byteLength,
    sha256: new Bun.CryptoHasher('sha256').update(bytes).digest('hex'),
    async *open() {
      yield bytes;
    },
  };
}
