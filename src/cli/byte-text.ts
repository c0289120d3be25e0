const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;
const STEP = 1_000;

/** A number of bytes as people say it: `1.2 MB`. */
export function byteText(bytes: number): string {
  let power = 0;
  // 999 950 would be written as 1000.0 kB.
  while (power < UNITS.length - 1 && bytes / STEP ** power >= STEP - 0.05) power += 1;
  if (power === 0) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  return `${(bytes / STEP ** power).toFixed(1)} ${UNITS[power]}`;
}
