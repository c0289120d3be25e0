const ENCODED: Readonly<Record<string, string>> = { '\r': '%0D', '\n': '%0A', '%': '%25' };

/** A text on one line: CR, LF and % percent-encoded (RFC 8493, 2.1.3). */
export function encodeLine(text: string): string {
  return text.replaceAll(/[\r\n%]/g, (character) => ENCODED[character] as string);
}

/** The text that `encodeLine` has made a line of. What else is percent-encoded stays as it is. */
export function decodeLine(line: string): string {
  return line.replaceAll(/%(0D|0A|25)/gi, (_whole, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** As `decodeLine`, of bags before 1.0, in which % stands for itself. */
export function decodeOldLine(line: string): string {
  return line.replaceAll(/%(0D|0A)/gi, (_whole, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
