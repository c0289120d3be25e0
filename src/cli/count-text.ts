import { byteText } from './byte-text.ts';

/** A whole number as people write it: `10,000`. */
export function numberText(count: number): string {
  return count.toLocaleString('en-US');
}

/** `10,000 nodes`, `1 node`. */
export function counted(count: number, what: string): string {
  return `${numberText(count)} ${what}${count === 1 ? '' : 's'}`;
}

/** `10,000 files of 1.2 GB`, `1 file of 3 bytes`. */
export function filesText(files: number, bytes: number): string {
  return `${counted(files, 'file')} of ${byteText(bytes)}`;
}
