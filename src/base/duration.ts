const SECONDS_OF_UNIT: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** Returns the seconds of `90`, `90s`, `30m`, `2h` or `7d`; undefined for zero and invalid text. */
export function parseDuration(text: string): number | undefined {
  const [, count, unit = 's'] = /^(\d{1,9})([smhd]?)$/.exec(text) ?? [];
  if (count === undefined) return undefined;
  const seconds = Number(count) * (SECONDS_OF_UNIT[unit || 's'] as number);
  return seconds > 0 ? seconds : undefined;
}
