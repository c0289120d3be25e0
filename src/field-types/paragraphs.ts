const BLOCKS =
  'address|article|aside|blockquote|caption|center|col|colgroup|dd|details|div|dl|dt|figcaption|figure|footer|h[1-6]|header|hr|li|main|menu|nav|ol|p|pre|section|summary|table|tbody|td|tfoot|th|thead|tr|ul';
const BEGINS_WITH_BLOCK = new RegExp(`^</?(?:${BLOCKS})\\b`);
const ENDS_WITH_BLOCK = new RegExp(`</?(?:${BLOCKS})(?: [^<>]*)?>$`);
/** Longer than any opening tag's tail that has to be looked at; the rest of a chunk cannot change the answer. */
const MAX_TAIL_CHARACTERS = 4096;

/** Makes paragraphs of what empty lines part in filtered HTML, and breaks of single line ends; blocks stay as they are. */
export function paragraphs(html: string): string {
  let made = '';
  let from = 0;
  for (let start = html.indexOf('<pre'); start >= 0; start = html.indexOf('<pre', from)) {
    const closing = html.indexOf('</pre>', start);
    if (closing < 0) break;
    made += ofLines(html.slice(from, start));
    from = closing + '</pre>'.length;
    made += `${html.slice(start, from)}\n`;
  }
  return (made + ofLines(html.slice(from))).trimEnd();
}

function ofLines(html: string): string {
  let made = '';
  for (const chunk of html.split(/\n[ \t]*\n/)) {
    const text = chunk.trim();
    if (text === '') continue;
    const isBlock = BEGINS_WITH_BLOCK.test(text) || ENDS_WITH_BLOCK.test(text.slice(-MAX_TAIL_CHARACTERS));
    made += isBlock ? `${text}\n` : `<p>${text.replace(/(?<!<br \/>)\n/g, '<br />\n')}</p>\n`;
  }
  return made;
}
