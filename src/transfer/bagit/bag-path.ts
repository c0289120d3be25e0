const ENCODED: Readonly<Record<string, string>> = { '\r': '%0D', '\n': '%0A', '%': '%25' };

/** Percent-encodes CR, LF and % in a text (RFC 8493, 2.1.3). */
export function encodeLine(text: string): string {
  return text.replaceAll(/[\r\n%]/g, (character) => ENCODED[character] as string);
}

/** Reverses `encodeLine`. Keeps other percent-encoded characters. */
export function decodeLine(line: string): string {
  return line.replaceAll(/%(0D|0A|25)/gi, (_whole, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** Decodes a line of a bag before version 1.0, which does not encode %. */
export function decodeOldLine(line: string): string {
  return line.replaceAll(/%(0D|0A)/gi, (_whole, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
