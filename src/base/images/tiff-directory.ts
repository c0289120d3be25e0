import type { ReadAt } from './byte-source.ts';

/** More than any real directory has; its size and width are among the first entries, which are sorted. */
const MAX_ENTRIES = 1024;
const CLASSIC = { version: 42, headerBytes: 8, countBytes: 2, entryBytes: 12 };
const BIG = { version: 43, headerBytes: 16, countBytes: 8, entryBytes: 20 };

/** Whether these are the first bytes of a TIFF or BigTIFF of either byte order. */
export function isTiff(head: Uint8Array): boolean {
  const order = Buffer.from(head.subarray(0, 4)).toString('latin1');
  return ['II*\0', 'MM\0*', 'II+\0', 'MM\0+'].includes(order);
}

/**
 * A TIFF of nothing but the first directory of another, moved to the front: writers put it at the end of the
 * file, behind all pixels. Undefined if there is none.
 */
export async function extractDirectory(at: ReadAt): Promise<Uint8Array | undefined> {
  const header = new Uint8Array(await at(0, BIG.headerBytes));
  if (header.byteLength < BIG.headerBytes) return undefined;
  const isLittleEndian = header[0] === 0x49;
  const view = new DataView(header.buffer);
  const form = view.getUint16(2, isLittleEndian) === BIG.version ? BIG : CLASSIC;
  const offset = form === BIG ? Number(view.getBigUint64(8, isLittleEndian)) : view.getUint32(4, isLittleEndian);
  if (offset < CLASSIC.headerBytes || offset > Number.MAX_SAFE_INTEGER / 2) return undefined;
  const counted = new Uint8Array(await at(offset, form.countBytes));
  if (counted.byteLength < form.countBytes) return undefined;
  const countView = new DataView(counted.buffer);
  const count =
    form === BIG ? Number(countView.getBigUint64(0, isLittleEndian)) : countView.getUint16(0, isLittleEndian);
  const wanted = Math.min(count, MAX_ENTRIES) * form.entryBytes;
  const entries = await at(offset + form.countBytes, wanted);
  const small = new Uint8Array(form.headerBytes + form.countBytes + wanted + 2 * form.entryBytes);
  small.set(header.subarray(0, form.headerBytes));
  const smallView = new DataView(small.buffer);
  if (form === BIG) smallView.setBigUint64(8, BigInt(form.headerBytes), isLittleEndian);
  else smallView.setUint32(4, form.headerBytes, isLittleEndian);
  small.set(counted, form.headerBytes);
  small.set(entries, form.headerBytes + form.countBytes);
  return small;
}
