const TOKEN = /\[date:custom:([^\]]*)\]/g;

/** The folder of an upload: `[date:custom:Y]-[date:custom:m]` at a time in seconds since 1970, as `2026-11`. */
export function uploadDirectory(pattern: string, seconds: number): string {
  const iso = new Date(seconds * 1000).toISOString();
  const [year, month, day] = [iso.slice(0, 4), iso.slice(5, 7), iso.slice(8, 10)] as const;
  const letters: Record<string, string> = { Y: year, y: year.slice(2), m: month, d: day };
  return pattern
    .replaceAll(TOKEN, (_token, format: string) =>
      format.replaceAll(/[A-Za-z]/g, (letter) => letters[letter] ?? letter),
    )
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.' && segment !== '..')
    .join('/');
}
