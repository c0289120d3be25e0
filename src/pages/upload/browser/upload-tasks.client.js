/** The uploads of a page: a few are sent at the same time, and each is saved when all of its bytes have arrived. */

/** The number of files that are sent at the same time. */
const PARALLEL = 3;

/**
 * @typedef {typeof import('tus-js-client')} Tus
 * @typedef {typeof import('./upload-server.client.js')} Server
 * @typedef {import('./upload-rows.client.js').Row} Row
 * @typedef {{ readonly file: File, readonly row: Row, isUnique: boolean, isDuplicate: boolean,
 *   body: (() => Promise<Record<string, unknown>>) | undefined,
 *   state: 'waiting' | 'running' | 'stopped' | 'failed' | 'refused' | 'done' | 'removed',
 *   upload?: import('tus-js-client').Upload }} Task
 */

/**
 * Creates the queue of a page. `onChange` is called after each change of a state, `problemOf` returns why a file is refused.
 * @param {{ readonly tus: Tus, readonly server: Server, readonly endpoint: string, readonly prefix: string,
 *   readonly headers: Record<string, string>, readonly onChange: () => void,
 *   readonly problemOf: (file: File) => string | undefined }} options
 */
export function createTasks({ tus, server, endpoint, prefix, headers, onChange, problemOf }) {
  const { messageOf, passes, RETRY_DELAYS } = server;
  const post = server.createPost(headers);
  /** @type {Task[]} */
  let tasks = [];

  /** @param {File} file */
  const fingerprintOf = ({ name, size, lastModified }) => [prefix, name, size, lastModified].join('-');

  /** Starts the next uploads that have been told what becomes of them. */
  function next() {
    const running = tasks.filter(({ state }) => state === 'running').length;
    const ready = tasks.filter(({ state, body }) => state === 'waiting' && body !== undefined);
    for (const task of ready.slice(0, Math.max(0, PARALLEL - running))) void run(task);
    onChange();
  }

  /** @param {Task} task */
  async function run(task) {
    task.state = 'running';
    task.row.show('sending');
    const { file } = task;
    task.upload ??= new tus.Upload(file, {
      endpoint,
      headers,
      metadata: { filename: file.name, filetype: file.type },
      retryDelays: RETRY_DELAYS,
      fingerprint: async () => fingerprintOf(file),
      onShouldRetry: (error) => passes(error.originalResponse?.getStatus()),
      onProgress: (sent, total) => {
        if (task.state === 'running') task.row.show('sending', { fraction: sent / total });
      },
      onError: (error) => fail(task, messageOf(error)),
      onSuccess: () => void save(task),
    });
    const [previous] = await task.upload.findPreviousUploads();
    if (task.state !== 'running') return;
    if (previous !== undefined) task.upload.resumeFromPreviousUpload(previous);
    task.upload.start();
  }

  /** Makes a file of a complete upload. The request may be repeated: it is answered as the first one. @param {Task} task */
  async function save(task) {
    task.row.show('saving', { fraction: 1 });
    try {
      const asks = task.isUnique ? { if_duplicate: 'ask' } : {};
      const answer = await post(`${task.upload?.url}/attach`, { ...(await task.body?.()), ...asks });
      if (answer.state === 'duplicate') {
        task.state = 'stopped';
        task.isDuplicate = true;
        task.row.show('duplicate', { duplicates: answer.duplicates });
      } else {
        task.state = 'done';
        const message = ['Saved.', ...(answer.notices ?? [])].join(' ');
        task.row.show('done', { message, sha256: answer.sha256, link: answer.node ?? answer.media });
        await forget(task);
      }
      next();
    } catch (error) {
      fail(task, messageOf(error));
    }
  }

  /** @param {Task} task @param {string} message */
  function fail(task, message) {
    if (task.state === 'removed') return;
    task.state = 'failed';
    task.row.show('failed', { message });
    next();
  }

  /** Removes the address of an upload from the browser. @param {Task} task */
  async function forget({ file }) {
    const storage = tus.defaultOptions.urlStorage;
    for (const { urlStorageKey } of (await storage?.findUploadsByFingerprint(fingerprintOf(file))) ?? [])
      await storage?.removeUpload(urlStorageKey);
  }

  return {
    next,
    post,
    get all() {
      return tasks;
    },

    /** Adds a file. @param {File} file @param {(actions: import('./upload-rows.client.js').Actions) => Row} createRow */
    add(file, createRow) {
      const row = createRow({
        async pause() {
          task.state = 'stopped';
          task.row.show('paused');
          await task.upload?.abort();
          next();
        },
        resume: () => resume(task),
        async remove() {
          task.state = 'removed';
          task.isDuplicate = false;
          tasks = tasks.filter((each) => each !== task);
          task.row.remove();
          next();
          await task.upload?.abort();
          await forget(task);
          const url = task.upload?.url;
          // Without an answer the upload expires.
          if (url)
            await fetch(url, { method: 'DELETE', headers: { ...headers, 'Tus-Resumable': '1.0.0' } }).catch(() => {});
        },
        addAnyway: () => addAnyway(task),
      });
      /** @type {Task} */
      const task = { file, row, state: 'waiting', isUnique: true, isDuplicate: false, body: undefined };
      tasks.push(task);
      const problem = problemOf(file);
      if (problem === undefined) return row.show('waiting');
      task.state = 'refused';
      row.show('refused', { message: problem });
    },

    /** Adds, or leaves out, all files that the repository has already. @param {boolean} adds */
    decideDuplicates(adds) {
      for (const task of tasks.filter(({ isDuplicate }) => isDuplicate))
        if (adds) addAnyway(task);
        else task.row.skip();
    },

    /** Goes on with the uploads that have failed. */
    resumeFailed() {
      for (const task of tasks) if (task.state === 'failed') resume(task);
    },

    /** Returns the names of the files whose uploads this browser has begun on this page and not finished. */
    async unfinished() {
      const all = (await tus.defaultOptions.urlStorage?.findAllUploads()) ?? [];
      return all.flatMap(({ urlStorageKey, metadata }) =>
        urlStorageKey.includes(`${prefix}-`) ? (metadata.filename ?? []) : [],
      );
    },
  };

  /** @param {Task} task */
  function addAnyway(task) {
    task.isUnique = false;
    task.isDuplicate = false;
    task.state = 'running';
    void save(task);
  }

  /** @param {Task} task */
  function resume(task) {
    task.state = 'waiting';
    task.row.show('waiting');
    next();
  }
}
