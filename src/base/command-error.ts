/** Something that keeps a command from doing its work, in words for the person who gave it. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
