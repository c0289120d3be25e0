import { allowedMarkup, fromEditor, isSameText, mayBeEdited, toEditor } from './rich-html.client.js';
import { announce } from './rows.client.js';
import { toolButton, toolsFor } from './text-tools.client.js';

/** @typedef {import('squire-rte').default} Squire */
/** @typedef {Readonly<Record<string, Readonly<Record<string, readonly string[]>> | '*'>>} Formats */

/** Keys of the editor for elements that it has no button for. */
const UNOFFERED = ['u', 'd', 'Shift-7', 'Shift-5', 'Shift-6', 'Shift-8', 'Shift-9'].flatMap((key) =>
  ['Ctrl-', 'Meta-'].map((control) => control + key),
);

/**
 * Offers an editor for a long text in a format with markup. The text area is what the form sends.
 * @param {HTMLTextAreaElement} area
 * @param {string} address the address of the editor
 * @param {Formats} formats
 */
export async function enableRichText(area, address, formats) {
  const row = area.closest('.value-row');
  const choice = row?.querySelector(`select[name$=".${area.dataset.format}"]`);
  if (!(choice instanceof HTMLSelectElement)) return;
  const bar = document.createElement('div');
  bar.className = 'text-bar';
  area.before(bar);
  /** @type {{ default?: unknown, Squire: typeof import('squire-rte').default }} */
  const { Squire } = await import(address);
  const root = document.createElement('div');
  root.className = 'rich-text text';
  root.setAttribute('role', 'textbox');
  root.setAttribute('aria-multiline', 'true');
  root.setAttribute('aria-label', row?.closest('fieldset')?.dataset.label ?? '');
  root.dir = 'auto';
  /** @type {Squire | undefined} */
  let squire;
  // Links to its errors, and other scripts, move the focus to the text area.
  area.addEventListener('focus', () => squire?.focus());
  root.addEventListener('focus', () => {
    for (const name of ['aria-describedby', 'aria-invalid']) {
      const value = area.getAttribute(name);
      if (value === null) root.removeAttribute(name);
      else root.setAttribute(name, value);
    }
  });
  root.addEventListener('blur', () => area.dispatchEvent(new FocusEvent('focusout', { bubbles: true })));

  /** @type {(element: string, attribute?: string) => boolean} */
  const isAllowed = (element, attribute) => {
    const format = formats[choice.value];
    if (format === '*') return true;
    const attributes = format?.[element];
    return attributes !== undefined && (attribute === undefined || attributes.includes(attribute));
  };

  const mode = toolButton('Source', () => (squire === undefined ? openEditor(true) : closeEditor(true)));
  const tools = document.createElement('div');
  tools.className = 'text-tools';
  tools.setAttribute('role', 'group');
  tools.setAttribute('aria-label', 'Formatting');
  bar.append(tools, mode);

  /** @param {boolean} isAsked */
  function openEditor(isAsked) {
    if (formats[formatOf(choice)] === undefined) return closeEditor(false);
    if (!mayBeEdited(area.value)) return refuse(isAsked);
    root.style.height = `${area.offsetHeight}px`;
    area.after(root);
    const editor = new Squire(root, {
      blockTag: 'P',
      addLinks: false,
      sanitizeToDOMFragment: (html) => {
        const fragment = document.createDocumentFragment();
        fragment.append(...allowedMarkup(html, isAllowed).childNodes);
        return fragment;
      },
    });
    editor.setHTML(toEditor(area.value));
    if (area.value.trim() !== '' && !isSameText(area.value, fromEditor(editor.getHTML()))) {
      editor.destroy();
      root.remove();
      return refuse(isAsked);
    }
    const isFocused = document.activeElement === area;
    squire = editor;
    hide(area, true);
    mode.hidden = false;
    // The key moves the focus, and these would write markup that no button offers.
    for (const key of ['Tab', 'Shift-Tab', ...UNOFFERED])
      editor.setKeyHandler(key, (_squire, event) => {
        if (!key.endsWith('Tab')) event.preventDefault();
      });
    mode.textContent = 'Source';
    const edited = () => allowedMarkup(fromEditor(editor.getHTML()), isAllowed).innerHTML;
    // The editor also reports what extensions and browsers change in its elements, which is no entry.
    let text = edited();
    editor.addEventListener('input', () => {
      if (edited() === text) return;
      text = edited();
      area.value = text;
      area.dispatchEvent(new Event('input', { bubbles: true }));
    });
    tools.replaceChildren(...toolsFor(editor, isAllowed));
    if (isAsked || isFocused) editor.focus();
  }

  /** @param {boolean} isAsked */
  function refuse(isAsked) {
    if (isAsked) announce('This text has markup that the editor does not keep: change it in its source.');
    closeEditor(false);
  }

  /** @param {boolean} isAsked */
  function closeEditor(isAsked) {
    squire?.destroy();
    squire = undefined;
    root.remove();
    tools.replaceChildren();
    hide(area, false);
    mode.textContent = 'Formatted text';
    mode.hidden = formats[formatOf(choice)] === undefined;
    if (isAsked) area.focus();
  }

  choice.addEventListener('input', () => {
    closeEditor(false);
    openEditor(false);
  });
  openEditor(false);
}

/** @param {Element | null | undefined} choice */
function formatOf(choice) {
  return choice instanceof HTMLSelectElement ? choice.value : '';
}

/**
 * Takes a text area out of sight. It still gets the focus from links.
 * @param {HTMLTextAreaElement} area
 * @param {boolean} isHidden
 */
function hide(area, isHidden) {
  area.classList.toggle('unseen', isHidden);
  if (isHidden) {
    area.tabIndex = -1;
    area.setAttribute('aria-hidden', 'true');
  } else {
    area.removeAttribute('tabindex');
    area.removeAttribute('aria-hidden');
  }
}
