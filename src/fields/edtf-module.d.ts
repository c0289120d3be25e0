declare module 'edtf' {
  /** Reads one EDTF expression; throws where it is none. */
  export function parse(input: string): { type: string; level: number };
}
