/** The new book of an upload: it is created with its first page, and removed again if none of its files is saved. */

/**
 * @typedef {import('./upload-tasks.client.js').Task} Task
 * @typedef {{ id: number, title: string }} Book
 */

/**
 * @param {{ readonly create: () => Promise<number>, readonly title: string, readonly address: (id: number) => string,
 *   readonly headers: Record<string, string>, readonly onChange: (book: Book | undefined) => void }} options
 */
export function createBook({ create, title, address, headers, onChange }) {
  /** @type {Promise<number> | undefined} */
  let creating;
  /** @type {number | undefined} */
  let made;
  /** @type {Task[]} */
  let pages = [];

  /** @param {number} id */
  const remove = (id) => fetch(address(id), { method: 'DELETE', headers, keepalive: true }).catch(() => undefined);
  const isEmpty = () => made !== undefined && !pages.some(({ state }) => state === 'done');

  addEventListener('pagehide', () => {
    if (made !== undefined && isEmpty()) void remove(made);
  });

  return {
    /** @param {Task[]} tasks */
    add(tasks) {
      pages = [...pages, ...tasks];
    },
    /** Returns the id of the book, which the first call creates. */
    async id() {
      creating ??= create();
      try {
        made = await creating;
      } catch (error) {
        creating = undefined;
        throw error;
      }
      onChange({ id: made, title });
      return made;
    },
    /** Removes the book if none of its files can be saved any more. A retry creates it again. */
    settle() {
      const isOver = pages.every(({ state }) => state === 'failed' || state === 'refused' || state === 'removed');
      if (made === undefined || !isOver) return;
      const id = made;
      [creating, made] = [undefined, undefined];
      onChange(undefined);
      void remove(id);
    },
  };
}
