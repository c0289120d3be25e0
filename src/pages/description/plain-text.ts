// biome-ignore lint/suspicious/noControlCharactersInRegex: matches control characters.
const SPACES = /[\s\u0000-\u001f\u007f]+/g;

/** Returns a text on one line, without control characters, cut after a word at `maxCharacters`. */
export function oneLine(text: string, maxCharacters: number): string {
  const line = text.replace(SPACES, ' ').trim();
  if (line.length <= maxCharacters) return line;
  const cut = line.slice(0, maxCharacters - 1).replace(/[\ud800-\udbff]$/, '');
  const end = cut.lastIndexOf(' ');
  return `${end > maxCharacters / 2 ? cut.slice(0, end) : cut}…`;
}
