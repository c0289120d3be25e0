import { crc32, deflateRawSync } from 'node:zlib';

/** An entry of a zip archive that is written by hand, with everything that may be wrong with it. */
export interface MadeEntry {
  readonly name: string | Buffer;
  readonly content?: string | Uint8Array;
  readonly isDeflated?: boolean;
  readonly flags?: number;
  /** True if no flag says that the name is UTF-8. */
  readonly isUnmarked?: boolean;
  readonly method?: number;
  readonly crc?: number;
  /** The size in the directory. */
  readonly bytes?: number;
  /** Unix file type and mode, as `0o120777` for a link. */
  readonly mode?: number;
  /** True if sizes and checksum follow the data. */
  readonly hasDescriptor?: boolean;
  /** Takes the place, and so the data, of the entry with this index. */
  readonly sharesWith?: number;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const DESCRIPTOR = 0x08074b50;
const UTF8 = 0x800;
const HAS_DESCRIPTOR = 0x8;

/** A zip archive as bytes. */
export function madeZip(entries: readonly MadeEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  const offsets: number[] = [];
  let offset = 0;
  for (const entry of entries) {
    const facts = factsOf(entry);
    const place = entry.sharesWith === undefined ? offset : (offsets[entry.sharesWith] as number);
    offsets.push(place);
    if (entry.sharesWith === undefined) {
      const local = localPart(facts);
      parts.push(local);
      offset += local.byteLength;
    }
    directory.push(centralPart(facts, place));
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(END, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(central.byteLength, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, central, end]);
}

function factsOf(entry: MadeEntry) {
  const content = Buffer.from(entry.content ?? '');
  const data = entry.isDeflated ? deflateRawSync(content) : content;
  return {
    name: Buffer.from(entry.name),
    data,
    crc: entry.crc ?? crc32(content),
    bytes: entry.bytes ?? content.byteLength,
    method: entry.method ?? (entry.isDeflated ? 8 : 0),
    flags: (entry.flags ?? 0) | (entry.isUnmarked ? 0 : UTF8) | (entry.hasDescriptor ? HAS_DESCRIPTOR : 0),
    mode: entry.mode ?? 0,
    hasDescriptor: entry.hasDescriptor ?? false,
  };
}

type Facts = ReturnType<typeof factsOf>;

function localPart({ name, data, crc, bytes, method, flags, hasDescriptor }: Facts): Buffer {
  const head = Buffer.alloc(30);
  head.writeUInt32LE(LOCAL, 0);
  head.writeUInt16LE(20, 4);
  head.writeUInt16LE(flags, 6);
  head.writeUInt16LE(method, 8);
  const sizes = [crc, data.byteLength, bytes];
  for (const [index, value] of sizes.entries()) head.writeUInt32LE(hasDescriptor ? 0 : value, 14 + 4 * index);
  head.writeUInt16LE(name.byteLength, 26);
  const descriptor = Buffer.alloc(hasDescriptor ? 16 : 0);
  if (hasDescriptor) {
    descriptor.writeUInt32LE(DESCRIPTOR, 0);
    for (const [index, value] of sizes.entries()) descriptor.writeUInt32LE(value, 4 + 4 * index);
  }
  return Buffer.concat([head, name, data, descriptor]);
}

function centralPart({ name, data, crc, bytes, method, flags, mode }: Facts, offset: number): Buffer {
  const head = Buffer.alloc(46);
  head.writeUInt32LE(CENTRAL, 0);
  // Made on Unix, so that the upper half of the attributes is a mode.
  head.writeUInt16LE((3 << 8) | 20, 4);
  head.writeUInt16LE(20, 6);
  head.writeUInt16LE(flags, 8);
  head.writeUInt16LE(method, 10);
  head.writeUInt32LE(crc, 16);
  head.writeUInt32LE(data.byteLength, 20);
  head.writeUInt32LE(bytes, 24);
  head.writeUInt16LE(name.byteLength, 28);
  head.writeUInt32LE((mode * 0x10000) >>> 0, 38);
  head.writeUInt32LE(offset, 42);
  return Buffer.concat([head, name]);
}
