/** Files that the executable embeds as text. */
declare module '*.yaml' {
  const text: string;
  export default text;
}
declare module '*.sql' {
  const text: string;
  export default text;
}

/** Files that the executable embeds as they are. */
declare module '*.css' {
  /** The path of the embedded file. */
  const path: string;
  export default path;
}
/** ES modules for browsers. */
declare module '*.client.js' {
  /** The path of the embedded file. */
  const path: string;
  export default path;
}
declare module '*.ico' {
  /** The path of the embedded file. */
  const path: string;
  export default path;
}
declare module '*.svg' {
  /** The path of the embedded file. */
  const path: string;
  export default path;
}
declare module '*.png' {
  /** The path of the embedded file. */
  const path: string;
  export default path;
}

/** Files of packages for browsers. */
declare module '*.min.js' {
  /** The path of the embedded file. */
  const path: string;
  export default path;
}
declare module '*.min.mjs' {
  /** The path of the embedded file. */
  const path: string;
  export default path;
}
declare module '*.txt' {
  /** The path of the embedded file. */
  const path: string;
  export default path;
}
declare module '*.bin' {
  /** The path of the embedded file. */
  const path: string;
  export default path;
}
declare module '*.wasm' {
  /** The path of the embedded file. */
  const path: string;
  export default path;
}
declare module '*.pfb' {
  /** The path of the embedded file. */
  const path: string;
  export default path;
}

declare module 'edtf' {
  /** Parses one EDTF expression. Throws for any other text. */
  export function parse(input: string): { type: string; level: number };
}

/** One of the default metrics of prom-client, which has no types for them one by one. */
declare module 'prom-client/lib/metrics/*.js' {
  const add: (
    registry: import('prom-client').Registry,
    options: { readonly eventLoopMonitoringPrecision: number },
  ) => void;
  export default add;
}
