/** Whether a field that takes these extensions, lower case and without the dot, takes a file of this name; none named takes all. */
export function takesExtension(allowed: readonly string[] | undefined, filename: string): boolean {
  if (allowed === undefined || allowed.length === 0) return true;
  const dot = filename.lastIndexOf('.');
  return dot >= 0 && allowed.includes(filename.slice(dot + 1).toLowerCase());
}
