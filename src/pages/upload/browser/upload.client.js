/**
 * Makes the form for one file a form for many: files are dragged in, sent in parts that continue after an interruption
 * (tus), and saved as the form says. The address of an unfinished upload is kept in the browser until its file is saved.
 */

/**
 * @typedef {{ uploads: string, nodes: string, memberOf: string, tus: string, rows: string, server: string, tasks: string,
 *   titles: string, books: string, rightsField: string, of: 'node' | 'media', id: number, maxBytes?: number, extensions: string[], ordersItems: boolean, nextWeight: number,
 *   book?: { type: string, model: number } }} Settings
 * @typedef {[typeof import('tus-js-client'), typeof import('./upload-rows.client.js'),
 *   typeof import('./upload-server.client.js'), typeof import('./upload-tasks.client.js'),
 *   typeof import('../../../base/readable-title.ts'), typeof import('./upload-book.client.js')]} Modules
 * @typedef {import('./upload-tasks.client.js').Task} Task
 */

/** The key under which the browser keeps the choice of publication. */
const PUBLISHED = 'upload-published';

const form = document.querySelector('form[data-upload]');
if (form instanceof HTMLFormElement) await start(form, JSON.parse(form.dataset.upload ?? ''));

/**
 * @param {HTMLFormElement} form
 * @param {Settings} settings
 */
async function start(form, settings) {
  const { of, id } = settings;
  /** @type {Modules} */
  const [tus, { createRow, sizeInWords }, server, { createTasks }, { readableTitle }, { createBook }] =
    await Promise.all([
      import(settings.tus),
      import(settings.rows),
      import(settings.server),
      import(settings.tasks),
      import(settings.titles),
      import(settings.books),
    ]);
  const input = part(form, 'input[type=file]', HTMLInputElement);
  const list = part(form, '.upload-list', HTMLElement);
  const status = part(form, '.upload-status', HTMLElement);
  const notice = part(form, '.upload-notice', HTMLElement);
  const button = part(form, 'button[type=submit]', HTMLButtonElement);
  const area = part(form, '.upload-files', HTMLElement);
  const order = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
  const isSingle = of === 'media';
  let weight = settings.nextWeight;
  /** The number of saved files of which the list of derivatives knows. */
  let told = 0;
  /** The new books of this page. */
  /** @type {ReturnType<typeof createBook>[]} */
  const books = [];
  const headers = { 'X-CSRF-Token': part(form, 'input[name=form_token]', HTMLInputElement).value };
  const tasks = createTasks({
    tus,
    server,
    endpoint: settings.uploads,
    prefix: ['upload', of, id].join('-'),
    headers,
    onChange: tell,
    problemOf,
  });

  input.multiple = !isSingle;
  area.classList.add('drops');
  for (const hidden of form.querySelectorAll('[data-choice=book], .for-many')) hidden.removeAttribute('hidden');
  if (!isSingle) part(area, 'label', HTMLElement).textContent = 'Files';
  rememberPublication();
  showFields();
  await showUnfinished();

  part(form, '.upload-duplicates', HTMLElement).addEventListener('click', ({ target }) => {
    const choice = target instanceof HTMLElement ? target.dataset.all : undefined;
    if (choice !== undefined) tasks.decideDuplicates(choice === 'add');
  });
  form.addEventListener('change', (event) => {
    if (event.target !== input) return showFields();
    add([...(input.files ?? [])]);
    // The same files can be chosen again.
    input.value = '';
  });
  for (const name of ['dragenter', 'dragover', 'dragleave', 'drop'])
    area.addEventListener(name, (event) => {
      event.preventDefault();
      area.classList.toggle('over', name === 'dragenter' || name === 'dragover');
      if (name === 'drop' && event instanceof DragEvent) add([...(event.dataTransfer?.files ?? [])]);
    });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const waiting = tasks.all.filter(({ state }) => state === 'waiting');
    if (waiting.length === 0) {
      status.textContent = 'Choose files first.';
      input.focus();
      return;
    }
    try {
      await decide(waiting);
      tasks.next();
    } catch (error) {
      status.textContent = error instanceof MissingTitle ? error.message : server.messageOf(error);
    }
  });
  addEventListener('online', () => tasks.resumeFailed());
  addEventListener('beforeunload', (event) => {
    if (tasks.all.some(({ state }) => state === 'running')) event.preventDefault();
  });
  form.dataset.state = 'ready';

  /** @param {File[]} files */
  function add(files) {
    const chosen = isSingle ? files.slice(0, 1) : files;
    list.hidden = false;
    for (const file of chosen.toSorted((one, other) => order.compare(one.name, other.name)))
      tasks.add(file, (actions) => createRow(list, file, actions, readableTitle(file.name)));
    tell();
  }

  /** @param {File} file */
  function problemOf({ name, size }) {
    const extension = name.includes('.') ? (name.split('.').at(-1) ?? '').toLowerCase() : '';
    const { extensions, maxBytes } = settings;
    if (size === 0) return 'The file is empty (0 bytes): it cannot be uploaded.';
    if (maxBytes !== undefined && size > maxBytes) return `The file is larger than ${sizeInWords(maxBytes)}.`;
    if (extensions.length > 0 && !extensions.includes(extension))
      return `Files of this type are not accepted here. The accepted ones are ${extensions.join(', ')}.`;
    return undefined;
  }

  /** Decides what becomes of files: pages are in the natural order of their names. @param {Task[]} waiting */
  async function decide(waiting) {
    const entries = new FormData(form);
    const text = (/** @type {string} */ name) => String(entries.get(name) ?? '').trim();
    const choice = text('choice');
    const use = text('use') === '' ? {} : { media_use: Number(text('use')) };
    const parent = choice === 'items' ? Number(text('collection')) || id : id;
    const common = { ...use, ...number('model'), ...given('rights'), ...published() };
    const book = choice === 'book' ? newBook(text('title'), Number(text('collection')) || id) : undefined;
    book?.add(waiting);
    let position = choice === 'book' ? 1 : weight;
    for (const task of waiting.toSorted((one, other) => order.compare(one.file.name, other.file.name))) {
      const at = { title: task.row.title(), ...common };
      const next = position;
      if (choice === 'source') task.body = async () => ({ media: id });
      else if (choice === 'track') task.body = async () => ({ track_of: id, ...given('language', 'label') });
      else if (choice === 'files') task.body = async () => ({ node: id, ...use });
      else if (book !== undefined) task.body = async () => ({ ...at, member_of: await book.id(), weight: next });
      else if (choice === 'items' && !settings.ordersItems) task.body = async () => ({ ...at, member_of: parent });
      else task.body = async () => ({ ...at, member_of: parent, weight: next });
      position += 1;
    }
    if (choice !== 'book') weight = position;

    /** @param {string} name */
    function number(name) {
      const isShown = choice === 'items' || choice === 'pages';
      return isShown && text(name) !== '' ? { [name]: Number(text(name)) } : {};
    }

    /** @param {string[]} names */
    function given(...names) {
      return Object.fromEntries(names.map((name) => [name, text(name)]).filter(([, value]) => value !== ''));
    }
  }

  /** Whether new items are published at once, as the form says. */
  function published() {
    const chosen = new FormData(form).get('published');
    return chosen === null ? {} : { published: chosen === '1' };
  }

  /** Restores the last choice of this browser, and keeps the next ones. */
  function rememberPublication() {
    const last = form.querySelector(`#published-${localStorage.getItem(PUBLISHED) ?? ''}`);
    if (last instanceof HTMLInputElement) last.checked = true;
    form.addEventListener('change', ({ target }) => {
      if (target instanceof HTMLInputElement && target.name === 'published')
        localStorage.setItem(PUBLISHED, target.value);
    });
  }

  /**
   * @param {string} title
   * @param {number} parent
   */
  function newBook(title, parent) {
    const { book } = settings;
    if (title === '' || book === undefined) {
      part(form, 'input[name=title]', HTMLInputElement).focus();
      throw new MissingTitle('Enter the title of the new book.');
    }
    const rights = String(new FormData(form).get('rights') ?? '').trim();
    const state = published();
    const made = createBook({
      ...{ title, headers, address: (each) => `${settings.nodes}/${each}?_format=json` },
      onChange: (created) => showBook(created),
      async create() {
        const node = await tasks.post(`${settings.nodes}?_format=json`, {
          type: [{ target_id: book.type }],
          title: [{ value: title }],
          field_model: [{ target_id: book.model }],
          [settings.memberOf]: [{ target_id: parent }],
          ...('published' in state && { status: [{ value: state.published }] }),
          ...(rights !== '' && { [settings.rightsField]: [{ value: rights }] }),
        });
        return Number(node.nid[0].value);
      },
    });
    books.push(made);
    return made;
  }

  /** @param {{ id: number, title: string } | undefined} book */
  function showBook(book) {
    const place = part(form, '.upload-book', HTMLElement);
    const link = part(place, 'a', HTMLAnchorElement);
    place.hidden = book === undefined;
    if (book === undefined) return;
    link.href = `${settings.nodes}/${book.id}`;
    link.textContent = `Open the book “${book.title}”`;
  }

  async function showUnfinished() {
    const names = await tasks.unfinished();
    const more = names.length > 5 ? ` and ${names.length - 5} more` : '';
    notice.hidden = names.length === 0;
    notice.textContent = `Not finished yet: ${names.slice(0, 5).join(', ')}${more}. Choose the same files again, and they continue where they stopped.`;
  }

  function showFields() {
    const choice = String(new FormData(form).get('choice') ?? '');
    for (const fields of form.querySelectorAll('[data-for]'))
      if (fields instanceof HTMLElement) fields.hidden = !fields.dataset.for?.split(' ').includes(choice);
    form.dataset.choice = choice;
  }

  function tell() {
    const all = tasks.all;
    const done = all.filter(({ state }) => state === 'done').length;
    const failed = all.filter(({ state }) => state === 'failed' || state === 'refused').length;
    const files = all.length === 1 ? '1 file' : `${all.length} files`;
    if (done > told) document.querySelector('[data-events]')?.dispatchEvent(new Event('more'));
    told = done;
    list.hidden = all.length === 0;
    status.textContent = all.length > 0 ? `${done} of ${files} saved${failed > 0 ? `, ${failed} failed` : ''}.` : '';
    for (const book of books) book.settle();
    const duplicates = all.filter(({ isDuplicate }) => isDuplicate).length;
    const question = part(form, '.upload-duplicates', HTMLElement);
    question.hidden = duplicates < 2;
    part(question, 'span', HTMLElement).textContent = `The repository has ${duplicates} of these files already.`;
    button.disabled = all.some(({ state }) => state === 'running');
  }
}

/** An entry that is missing in the form. */
class MissingTitle extends Error {}

/**
 * Returns an element of the page.
 * @template {Element} Kind
 * @param {ParentNode} parent
 * @param {string} selector
 * @param {{ new (): Kind }} kind
 */
function part(parent, selector, kind) {
  const element = parent.querySelector(selector);
  if (!(element instanceof kind)) throw new Error(`the page has no ${selector}`);
  return element;
}
