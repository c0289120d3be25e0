/** @typedef {import('squire-rte').default} Squire */

/**
 * A button: its name, the element that the format must allow, and what it does.
 * @typedef {{ text: string, needs: string, tag: string, on: (squire: Squire) => unknown, off: (squire: Squire) => unknown }} Command
 */

/** The headings with a button: the first level is the title of the page, and texts rarely have more than three. */
const HEADING_LEVELS = /** @type {const} */ ([2, 3, 4]);

/** @type {readonly Command[]} */
const COMMANDS = [
  { text: 'Bold', needs: 'strong', tag: 'B', on: (squire) => squire.bold(), off: (squire) => squire.removeBold() },
  { text: 'Italic', needs: 'em', tag: 'I', on: (squire) => squire.italic(), off: (squire) => squire.removeItalic() },
  ...HEADING_LEVELS.map((level) => ({
    text: `Heading ${level}`,
    needs: `h${level}`,
    tag: `H${level}`,
    on: (/** @type {Squire} */ squire) => asBlock(squire, `H${level}`),
    off: (/** @type {Squire} */ squire) => asBlock(squire, 'P'),
  })),
  {
    text: 'Quote',
    needs: 'blockquote',
    tag: 'BLOCKQUOTE',
    on: (squire) => squire.increaseQuoteLevel(),
    off: (squire) => squire.decreaseQuoteLevel(),
  },
  {
    text: 'List',
    needs: 'ul',
    tag: 'UL',
    on: (squire) => squire.makeUnorderedList(),
    off: (squire) => squire.removeList(),
  },
  {
    text: 'Numbers',
    needs: 'ol',
    tag: 'OL',
    on: (squire) => squire.makeOrderedList(),
    off: (squire) => squire.removeList(),
  },
];

/**
 * Returns the buttons of an editor for the elements that a format allows.
 * @param {Squire} squire
 * @param {(element: string, attribute?: string) => boolean} isAllowed
 * @returns {HTMLElement[]}
 */
export function toolsFor(squire, isAllowed) {
  const tools = COMMANDS.filter(({ needs }) => isAllowed(needs)).map((command) => commandTool(squire, command));
  return isAllowed('a', 'href') ? [...tools, linkTool(squire)] : tools;
}

/**
 * @param {Squire} squire
 * @param {Command} command
 */
function commandTool(squire, { text, tag, on, off }) {
  const own = toolButton(text, () => {
    if (squire.hasFormat(tag)) off(squire);
    else on(squire);
    squire.focus();
  });
  const show = () => own.setAttribute('aria-pressed', String(squire.hasFormat(tag)));
  // The cursor stands at the beginning of the text already.
  show();
  squire.addEventListener('pathChange', show);
  return own;
}

/**
 * Makes blocks of another element of the chosen ones.
 * @param {Squire} squire
 * @param {string} tag
 */
function asBlock(squire, tag) {
  squire.modifyBlocks((fragment) => {
    for (const block of [...fragment.querySelectorAll('p, h1, h2, h3, h4, h5, h6')]) {
      const changed = document.createElement(tag);
      // An address may lead to a heading by its id. What the new element may not have is filtered with the text.
      for (const { name, value } of block.attributes) changed.setAttribute(name, value);
      changed.append(...block.childNodes);
      block.replaceWith(changed);
    }
    return fragment;
  });
}

/**
 * Returns the button for a link, which asks for its address beside it. No address removes the link.
 * @param {Squire} squire
 */
function linkTool(squire) {
  const part = document.createElement('span');
  part.className = 'text-link';
  const address = document.createElement('input');
  address.type = 'text';
  address.inputMode = 'url';
  address.placeholder = 'https://';
  address.setAttribute('aria-label', 'Address of the link');
  address.hidden = true;
  /** @param {boolean} isOpen */
  const toggle = (isOpen) => {
    address.hidden = !isOpen;
    if (isOpen) address.focus();
    else squire.focus();
  };
  address.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== 'Escape') return;
    event.preventDefault();
    toggle(false);
    if (event.key === 'Escape') return;
    const text = address.value.trim();
    if (text === '') squire.removeLink();
    else if (!/^(?:javascript|data|vbscript):/i.test(text)) squire.makeLink(text);
  });
  part.append(
    toolButton('Link', () => {
      const inside = squire.getSelection().startContainer.parentElement?.closest('a');
      address.value = inside?.getAttribute('href') ?? '';
      toggle(address.hidden === true);
    }),
    address,
  );
  return part;
}

/**
 * Returns a button of the bar of a text.
 * @param {string} text
 * @param {() => void} press
 */
export function toolButton(text, press) {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = 'row-button';
  made.textContent = text;
  made.addEventListener('click', press);
  return made;
}
