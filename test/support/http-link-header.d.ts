declare module 'http-link-header' {
  interface Reference {
    uri: string;
    rel: string;
    title?: string;
    'title*'?: { value: string; language: string };
    type?: string;
    anchor?: string;
  }
  const LinkHeader: { parse(value: string): { refs: Reference[] } };
  export default LinkHeader;
}
