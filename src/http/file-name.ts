/** The last part of a path of either kind, `/` or `\`; empty for what names only a folder. */
export function baseName(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  return name === '.' || name === '..' ? '' : name;
}

/** Whether a name has characters that no file name needs: controls such as NUL or a line break. */
export function hasControls(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return /[\x00-\x1f\x7f-\x9f]/.test(name);
}

/** A name without controls and without marks that turn the direction of text, which disguise an extension. */
export function withoutDisguise(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  return name.replaceAll(/[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '');
}
