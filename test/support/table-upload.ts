import { type FormBrowser, type OpenPage, signedIn } from './form-call.ts';
import { elementsOf } from './page.ts';
import { signIn } from './repository-routes.ts';
import { ADMIN_PASSWORD, type TestRepository } from './test-repository.ts';
import { until } from './until.ts';

export const IMPORTS = '/admin/content/import';

/** Files of a form, by their names. */
export type SentFiles = Readonly<Record<string, string | Uint8Array>>;

/** A browser without JavaScript that uploads tables. */
export interface TableBrowser extends FormBrowser {
  /** Sends the form for a table. Returns the status, and the path of the page of the upload. */
  upload(
    table: string | Uint8Array | undefined,
    files?: SentFiles,
    fields?: Record<string, string>,
  ): Promise<SentTable>;
  /** Sends further files, or a corrected table. */
  add(path: string, files: SentFiles, table?: string): Promise<SentTable>;
  /** Presses a button of the page of an upload. */
  press(path: string, fields: Record<string, string | readonly string[]>): Promise<OpenPage>;
  /** The page of an upload once nothing works on it. */
  settled(path: string): Promise<OpenPage>;
}

export interface SentTable {
  readonly status: number;
  readonly path: string;
  readonly html: string;
}

/** Opens a browser that a user of the repository has signed in with. */
export async function tableBrowser(repository: TestRepository, name: string): Promise<TableBrowser> {
  const browser = await signedIn(repository, name);
  const { cookie } = await signIn(repository, name, name === 'admin' ? ADMIN_PASSWORD : name);
  const tokenOf = async () => {
    const response = await repository.fetch(IMPORTS, { headers: { Accept: 'text/html', Cookie: cookie } });
    return elementsOf(await response.text(), 'input[name=form_token]')[0]?.attributes.value ?? '';
  };

  async function send(path: string, form: FormData): Promise<SentTable> {
    const headers = { Accept: 'text/html', Cookie: cookie, 'Sec-Fetch-Site': 'same-origin' };
    const response = await repository.fetch(path, { method: 'POST', headers, body: form, redirect: 'manual' });
    const location = response.headers.get('location') ?? '';
    return { status: response.status, path: location.replace(repository.url, ''), html: await response.text() };
  }

  function filled(form: FormData, files: SentFiles, table: string | Uint8Array | undefined): FormData {
    // As a browser sends a field in which nothing was chosen.
    form.append('table', new File([bytes(table ?? '')], table === undefined ? '' : 'items.csv', { type: 'text/csv' }));
    for (const [name, content] of Object.entries(files)) form.append('files', new File([bytes(content)], name));
    return form;
  }

  const empty = async (fields: Record<string, string> = {}) => {
    const form = new FormData();
    form.append('form_token', await tokenOf());
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    return form;
  };

  return {
    ...browser,
    upload: async (table, files = {}, fields = {}) => send(IMPORTS, filled(await empty(fields), files, table)),
    add: async (path, files, table) => send(`${path}/files`, filled(await empty(), files, table)),
    async press(path, fields) {
      const sent = new URLSearchParams({
        form_token: (await browser.open(IMPORTS)).fields(IMPORTS).get('form_token') ?? '',
      });
      for (const [name, value] of Object.entries(fields)) for (const each of [value].flat()) sent.append(name, each);
      return browser.post(path, sent);
    },
    async settled(path) {
      let page = await browser.open(path);
      await until(async () => {
        page = await browser.open(path);
        return !page.html.includes('data-live');
      });
      return page;
    },
  };
}

function bytes(content: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(typeof content === 'string' ? Buffer.from(content) : content);
}
