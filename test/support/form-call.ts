import { elementsOf, type PageElement } from './page.ts';
import { type Session, signIn } from './repository-routes.ts';
import { ADMIN_PASSWORD, createTestRepository, type TestRepository } from './test-repository.ts';

/** The headers of a browser that sends a form of a page of the same site. */
const FROM_OWN_PAGE = { Accept: 'text/html', 'Sec-Fetch-Site': 'same-origin' };

/** A page that a browser without JavaScript has open. */
export interface OpenPage {
  readonly status: number;
  readonly path: string;
  readonly html: string;
  readonly headers: Headers;
  elements(selector: string): PageElement[];
  /** The fields of the form with this action (default: the first POST form), as a browser would send them. */
  fields(action?: string): URLSearchParams;
  /** Fills in fields of a form, presses a button of it and returns the answer, without following a redirect. */
  submit(
    values?: Fields,
    form?: { readonly action?: string; readonly button?: readonly [string, string] },
  ): Promise<OpenPage>;
}

export type Fields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The form of a new item. */
export const ADD_ITEM = '/node/add/islandora_object';

/** A browser without JavaScript: it has a session and sends forms. */
export interface FormBrowser {
  readonly session: Session | undefined;
  open(path: string, headers?: Record<string, string>): Promise<OpenPage>;
  post(path: string, fields: URLSearchParams, headers?: Record<string, string>): Promise<OpenPage>;
}

/** Starts a repository in which an editor, Jane, has signed in. `image` is the value of the model Image in forms. */
export async function openFormSite(): Promise<{ repository: TestRepository; jane: FormBrowser; image: string }> {
  const repository = await createTestRepository();
  await repository.user('jane', 'repository_editor');
  const jane = await signedIn(repository, 'jane');
  const form = await jane.open(ADD_ITEM);
  const image = form.elements('option').find(({ text }) => text === 'Image')?.attributes.value ?? '';
  return { repository, jane, image };
}

/** Opens a browser that a user of the repository has signed in with, whose password is the name. */
export async function signedIn(repository: Pick<TestRepository, 'fetch'>, name: string): Promise<FormBrowser> {
  return formBrowser(repository, await signIn(repository, name, name === 'admin' ? ADMIN_PASSWORD : name));
}

/** Opens a browser, without a session by default. */
export function formBrowser(repository: Pick<TestRepository, 'fetch'>, session?: Session): FormBrowser {
  const cookie: Record<string, string> = session === undefined ? {} : { Cookie: session.cookie };
  const browser: FormBrowser = {
    session,
    open: async (path, headers = {}) =>
      pageOf(path, await repository.fetch(path, { headers: { Accept: 'text/html', ...cookie, ...headers } })),
    post: async (path, fields, headers = {}) =>
      pageOf(
        path,
        await repository.fetch(path, {
          method: 'POST',
          headers: {
            ...FROM_OWN_PAGE,
            'Content-Type': 'application/x-www-form-urlencoded',
            ...cookie,
            ...headers,
          },
          body: fields.toString(),
        }),
      ),
  };

  async function pageOf(path: string, response: Response): Promise<OpenPage> {
    const html = await response.text();
    const fields = (action?: string) => fieldsOf(html, action);
    return {
      status: response.status,
      path,
      html,
      headers: response.headers,
      elements: (selector) => elementsOf(html, selector),
      fields,
      submit(values = {}, { action, button } = {}) {
        const sent = fields(action);
        for (const [name, value] of Object.entries(values)) {
          sent.delete(name);
          for (const each of [value ?? []].flat()) sent.append(name, each);
        }
        if (button !== undefined) sent.append(...(button as [string, string]));
        return browser.post(action ?? actionOf(html) ?? path, sent);
      },
    };
  }
  return browser;
}

const POST_FORM = 'form[method=post]';

function actionOf(html: string): string | undefined {
  return elementsOf(html, POST_FORM)[0]?.attributes.action;
}

/** The values that a browser sends for a form, in their order, without those of buttons. */
function fieldsOf(html: string, action?: string): URLSearchParams {
  const form = action === undefined ? POST_FORM : `form[action="${action}"]`;
  const all = new URLSearchParams();
  let isFirst: boolean | undefined;
  let area: string | undefined;
  let text = '';
  let select: string | undefined;
  const take = { options: [] as { value: string; isSelected: boolean }[] };
  const rewriter = new HTMLRewriter()
    .on(form, {
      element(element) {
        isFirst = isFirst === undefined;
        element.onEndTag(() => {
          isFirst = false;
        });
      },
    })
    .on(`${form} input`, {
      element(input) {
        const [name, type, value] = ['name', 'type', 'value'].map((each) => input.getAttribute(each));
        const isOff = (type === 'checkbox' || type === 'radio') && !input.hasAttribute('checked');
        if (isFirst && name && !isOff && type !== 'submit' && type !== 'file' && !input.hasAttribute('disabled'))
          all.append(decoded(name), decoded(value ?? (type === 'checkbox' ? 'on' : '')));
      },
    })
    .on(`${form} textarea`, {
      element(element) {
        area = isFirst ? (element.getAttribute('name') ?? undefined) : undefined;
        text = '';
        element.onEndTag(() => {
          // A parser drops the first line break, and a browser sends CR LF.
          if (area !== undefined) all.append(decoded(area), decoded(text).replace(/^\n/, '').replaceAll('\n', '\r\n'));
          area = undefined;
        });
      },
      text(chunk) {
        text += chunk.text;
      },
    })
    .on(`${form} select`, {
      element(element) {
        select = isFirst ? (element.getAttribute('name') ?? undefined) : undefined;
        take.options = [];
        const isMultiple = element.hasAttribute('multiple');
        element.onEndTag(() => {
          const chosen = take.options.filter(({ isSelected }) => isSelected);
          const sent = isMultiple ? chosen : [chosen[0] ?? take.options[0]];
          for (const option of sent) if (select !== undefined && option) all.append(decoded(select), option.value);
          select = undefined;
        });
      },
    })
    .on(`${form} option`, {
      element(option) {
        take.options.push({
          value: decoded(option.getAttribute('value') ?? ''),
          isSelected: option.hasAttribute('selected'),
        });
      },
    });
  rewriter.transform(html);
  return all;
}

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#039;': "'", '&#39;': "'", '&amp;': '&' },
};
const decoded = (text: string) => text.replace(/&(?:lt|gt|quot|#0?39|amp);/g, (entity) => ENTITIES[entity] ?? entity);

/** Returns the messages of the summary of errors of a form. */
export function errorsOf(page: OpenPage): string[] {
  return page.elements('.error-summary li').map(({ text }) => text);
}
