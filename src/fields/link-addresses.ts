/** What a sentence puts behind an address. */
const TRAILING = /[.,;:!?')\]]$/;
const MAX_TRAILING = 8;
/** The lengths keep a text without a single address from being scanned again from each of its characters. */
const ADDRESS =
  /\b(?:https?:\/\/|www\.)(?:(?!&(?:quot|gt|lt|#0?39);)[^\s<>"]){1,2048}|[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/gi;
const UNLINKED_ELEMENTS: ReadonlySet<string> = new Set(['a', 'pre', 'code', 'kbd', 'samp']);

/** Makes links of the web and mail addresses in the text of filtered HTML, outside of links and code. */
export function linkAddresses(html: string): string {
  let unlinked = 0;
  return html.replace(/<[^<>]*>|[^<]+/g, (part) => {
    if (!part.startsWith('<')) return unlinked > 0 ? part : part.replace(ADDRESS, linkTo);
    const [, closing, name = ''] = /^<(\/?)([a-z0-9]+)/.exec(part) ?? [];
    if (UNLINKED_ELEMENTS.has(name)) unlinked = Math.max(0, unlinked + (closing ? -1 : 1));
    return part;
  });
}

function linkTo(found: string): string {
  let address = found;
  for (let cut = 0; cut < MAX_TRAILING && TRAILING.test(address); cut += 1) address = address.replace(TRAILING, '');
  const rest = found.slice(address.length);
  if (/^https?:\/\/$|^www\.?$/i.test(address) || address === '') return found;
  const scheme = /^https?:/i.test(address) ? '' : /^www\./i.test(address) ? 'http://' : 'mailto:';
  return `<a href="${scheme}${address}">${address}</a>${rest}`;
}
