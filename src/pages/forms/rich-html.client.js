/** The elements of the editor that stand for the ones that texts have, by name. */
const WRITTEN = /** @type {const} */ ({ B: 'STRONG', I: 'EM' });
/** Attributes that run something, or that the policy of the page refuses. */
const REFUSED = /^(?:on.*|style|srcdoc|formaction)$/i;
const RUNS = /^(?:javascript|data|vbscript):/i;
const BLOCKS = 'P, DIV, UL, OL, LI, BLOCKQUOTE, H1, H2, H3, H4, H5, H6, PRE, DL, DT, DD';

/** What runs or styles: the editor never parses it, as the policy of the page would report it. */
const RUNNING = /<(?:style|script|iframe|object|embed|svg|math|template|link|meta)\b|\s(?:on\w+|style)\s*=/i;

/**
 * Returns false for a text that only its source can show.
 * @param {string} html
 */
export function mayBeEdited(html) {
  return !RUNNING.test(html);
}

/**
 * Returns the markup of a text for the editor, which has elements of its own for bold and italics.
 * @param {string} html
 */
export function toEditor(html) {
  const body = bodyOf(html);
  for (const [own, written] of Object.entries(WRITTEN))
    for (const each of body.querySelectorAll(written)) rename(each, own);
  return body.innerHTML;
}

/**
 * Returns the markup of the editor as a text has it.
 * @param {string} html
 */
export function fromEditor(html) {
  const body = bodyOf(html);
  for (const [own, written] of Object.entries(WRITTEN))
    for (const each of body.querySelectorAll(own)) rename(each, written);
  // The editor puts loose text into blocks of its own.
  for (const each of body.querySelectorAll('DIV')) {
    if (each.parentElement?.matches('LI')) each.replaceWith(...each.childNodes);
    else rename(each, 'P');
  }
  // The editor keeps empty lines open with a break.
  for (const each of body.querySelectorAll('br:last-child'))
    if (each.nextSibling === null && each.parentElement?.matches(BLOCKS)) each.remove();
  for (const each of body.querySelectorAll('P, DIV, H2, H3, H4, LI, BLOCKQUOTE'))
    if (each.innerHTML === '') each.remove();
  return [...body.children].map((each) => each.outerHTML).join('\n');
}

/**
 * Returns true if two texts have the same words, elements and attributes. Space between blocks does not count; a text
 * without blocks is a paragraph.
 * @param {string} one
 * @param {string} other
 */
export function isSameText(one, other) {
  // Space counts in preformatted text.
  return bodyOf(one).querySelector('pre') === null && essence(one) === essence(other);
}

/**
 * Returns the elements of a text. Without the tag, a parser would put some at the beginning elsewhere.
 * @param {string} html
 */
function bodyOf(html) {
  return new DOMParser().parseFromString(`<body>${html}`, 'text/html').body;
}

/** @param {string} html */
function essence(html) {
  const body = bodyOf(html);
  if (body.querySelector(BLOCKS) === null && body.textContent?.trim()) body.innerHTML = `<p>${body.innerHTML}</p>`;
  return body.innerHTML
    .replace(/\s+/g, ' ')
    .replace(/ ?(<\/?(?:p|div|ul|ol|li|blockquote|h[1-6]|pre|dl|dt|dd|br)\b[^>]*>) ?/g, '$1')
    .trim();
}

/**
 * @param {Element} element
 * @param {string} name
 */
function rename(element, name) {
  const renamed = document.createElement(name);
  for (const { name: attribute, value } of element.attributes) renamed.setAttribute(attribute, value);
  renamed.append(...element.childNodes);
  element.replaceWith(renamed);
}

/**
 * Returns pasted markup with the elements and attributes that a format allows. Of others the text is kept.
 * @param {string} html
 * @param {(element: string, attribute?: string) => boolean} isAllowed
 */
export function allowedMarkup(html, isAllowed) {
  const body = bodyOf(html);
  for (const each of body.querySelectorAll('script, style, template, title, iframe, object, svg, math')) each.remove();
  for (const each of [...body.querySelectorAll('*')]) {
    const name = (WRITTEN[/** @type {'B' | 'I'} */ (each.tagName)] ?? each.tagName).toLowerCase();
    if (!isAllowed(name)) {
      each.replaceWith(...each.childNodes);
      continue;
    }
    for (const { name: attribute, value } of [...each.attributes]) {
      const isSafe = !REFUSED.test(attribute) && !RUNS.test(value.replace(/[^!-~]/g, ''));
      if (!isSafe || !isAllowed(name, attribute)) each.removeAttribute(attribute);
    }
  }
  return body;
}
