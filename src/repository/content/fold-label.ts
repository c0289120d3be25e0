/** A name as it is looked up by: without regard to case and to how an accent was typed, in every script. */
export function foldLabel(label: string): string {
  return label.normalize('NFC').toLowerCase();
}
