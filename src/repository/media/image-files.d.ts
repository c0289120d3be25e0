declare module '*.png' {
  /** Where the embedded file can be read. */
  const path: string;
  export default path;
}
