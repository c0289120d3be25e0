import { extract } from 'tar-stream';

export interface TarFile {
  name: string;
  bytes: Uint8Array;
}

/** The files of a tar archive in their order. Throws for one that is cut off, also where a file would end. */
export async function readTar(archive: Uint8Array): Promise<TarFile[]> {
  const end = archive.subarray(-1024);
  if (archive.byteLength % 512 !== 0 || end.byteLength < 1024 || end.some((byte) => byte !== 0))
    throw new Error(`an archive of ${archive.byteLength} bytes without an end`);
  const reader = extract();
  reader.end(archive);
  const files: TarFile[] = [];
  for await (const entry of reader) {
    const chunks: Buffer[] = [];
    for await (const chunk of entry as AsyncIterable<Buffer>) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    if (bytes.byteLength !== entry.header.size) throw new Error(`${entry.header.name} is cut off`);
    files.push({ name: entry.header.name, bytes });
  }
  return files;
}
