/** The rows of the list of files, one for each upload. */

/**
 * @typedef {'waiting' | 'sending' | 'paused' | 'saving' | 'done' | 'duplicate' | 'failed' | 'refused'} State
 * @typedef {{ pause(): void, resume(): void, remove(): void, addAnyway(): void }} Actions
 * @typedef {{ id: number, url: string, title?: string }} Reference
 * @typedef {{ name: string, file: Reference, media?: Reference, node?: Reference }} Duplicate
 * @typedef {{ title(): string, show(state: State, more?: { fraction?: number, message?: string, sha256?: string, link?: Reference,
 *   duplicates?: Duplicate[] }): void, skip(): void, remove(): void }} Row
 */

const WORDS = {
  waiting: 'Waiting',
  sending: 'Sending',
  paused: 'Paused',
  saving: 'All bytes have arrived. The file is being saved …',
  done: 'Saved.',
  duplicate: 'Not saved yet: the repository has this file already.',
  failed: 'Failed.',
  refused: 'Not accepted.',
};

/** @type {Readonly<Record<State, readonly (readonly [label: string, action: keyof Actions])[]>>} */
const BUTTONS = {
  waiting: [['Remove', 'remove']],
  sending: [['Pause', 'pause']],
  paused: [
    ['Resume', 'resume'],
    ['Remove', 'remove'],
  ],
  saving: [],
  done: [],
  duplicate: [
    ['Add anyway', 'addAnyway'],
    ['Skip', 'remove'],
  ],
  failed: [
    ['Try again', 'resume'],
    ['Remove', 'remove'],
  ],
  refused: [['Remove', 'remove']],
};

/**
 * Adds a row to the list.
 * @param {Element} list
 * @param {File} file
 * @param {Actions} actions
 * @param {string} usualTitle
 * @returns {Row}
 */
export function createRow(list, file, actions, usualTitle) {
  const row = list.appendChild(element('li'));
  const name = row.appendChild(element('div', 'name'));
  name.append(element('bdi', '', file.name), element('span', 'soft', `  ${sizeInWords(file.size)}`));
  const title = name.appendChild(element('input', 'title'));
  title.value = usualTitle;
  title.maxLength = 255;
  title.dir = 'auto';
  title.setAttribute('aria-label', `Title of ${file.name}`);
  const bar = row.appendChild(element('progress'));
  bar.max = 1;
  bar.value = 0;
  bar.setAttribute('aria-label', `Upload of ${file.name}`);
  const state = row.appendChild(element('p', 'state'));
  const buttons = row.appendChild(element('div', 'buttons'));

  return {
    title: () => title.value.trim() || usualTitle,
    show(next, { fraction, message, sha256, link, duplicates = [] } = {}) {
      if (fraction !== undefined) bar.value = fraction;
      const hadFocus = buttons.contains(document.activeElement);
      const isSame = row.className === next;
      row.className = next;
      title.disabled = next !== 'waiting';
      const percent = next === 'sending' || next === 'paused' ? ` ${Math.floor(bar.value * 100)} %` : '';
      state.replaceChildren(message ?? `${WORDS[next]}${percent}`);
      if (sha256 !== undefined) state.append(' SHA-256: ', element('code', '', sha256));
      if (link !== undefined) state.append(' ', linkTo(link.url, 'Open'));
      for (const duplicate of duplicates) {
        const { url, title } = duplicate.node ?? duplicate.media ?? duplicate.file;
        state.append(
          ' ',
          linkTo(new URL(url).pathname, title === undefined ? duplicate.name : `${duplicate.name} in “${title}”`),
        );
      }
      if (isSame) return;
      buttons.replaceChildren(
        ...BUTTONS[next].map(([label, action]) => {
          const button = element('button', 'button quiet small');
          button.type = 'button';
          button.append(label, element('span', 'unseen', `: ${file.name}`));
          button.addEventListener('click', () => actions[action]());
          return button;
        }),
      );
      if (hadFocus) focusOn(buttons.firstElementChild ?? state);
    },
    skip: () => actions.remove(),
    remove() {
      if (row.contains(document.activeElement)) focusOn(row.nextElementSibling?.querySelector('button') ?? list);
      row.remove();
    },
  };
}

/** @param {Element} target */
function focusOn(target) {
  if (!(target instanceof HTMLElement)) return;
  if (!(target instanceof HTMLButtonElement)) target.tabIndex = -1;
  target.focus();
}

/**
 * @param {string} url
 * @param {string} text
 */
function linkTo(url, text) {
  const link = element('a', '', text);
  link.href = url;
  return link;
}

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {string} [className]
 * @param {string} [text]
 */
function element(name, className = '', text = '') {
  const made = document.createElement(name);
  if (className !== '') made.className = className;
  if (text !== '') made.textContent = text;
  return made;
}

/** @param {number} bytes */
export function sizeInWords(bytes) {
  if (bytes < 1000) return `${bytes} bytes`;
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1);
  const options = { style: 'unit', unit: units[power], unitDisplay: 'short', maximumFractionDigits: 1 };
  return new Intl.NumberFormat('en', /** @type {Intl.NumberFormatOptions} */ (options)).format(bytes / 1000 ** power);
}
