import { type TObject, Type as t } from '@sinclair/typebox';
import { PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import type { Call } from '../../web/call.ts';
import type { resource } from '../../web/check.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { id } from '../../web/parameters.ts';
import { type HtmlPage, pageRepresentation } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { htmlPage, Layout } from '../layout.tsx';

/** A page with instructions for an action. */
export interface Action {
  readonly heading: string;
  readonly text: string;
  /** Requests and commands, as a user types them. */
  readonly commands: readonly string[];
  /** Related entries, with or without an address. */
  readonly entries: readonly { readonly label: string; readonly href?: string }[];
}

/** Returns the page of an action. */
function actionPage({ heading, text, commands, entries }: Action, site: Site): HtmlPage {
  return htmlPage(
    <Layout
      site={site}
      title={heading}
      language={PAGE_LANGUAGE}
      styles={['record.css']}
      head={<meta name="robots" content="noindex" />}
    >
      <article>
        <h1 dir="auto">{heading}</h1>
        <p class="lines">{text}</p>
        {commands.map((command) => (
          <p key={command}>
            <code>{command}</code>
          </p>
        ))}
        {entries.length > 0 && (
          <ul>
            {entries.map(({ label, href }) => (
              <li key={label}>{href === undefined ? label : <a href={href}>{label}</a>}</li>
            ))}
          </ul>
        )}
      </article>
    </Layout>,
  );
}

/** Maximum number of entries that a page lists. */
export const MAX_ENTRIES = 50;

export type Answer = (call: Call) => Promise<Action>;

/** Adds the route of a page that shows how to do something. The page requires the same right as its link. */
export function addAction(app: ReturnType<typeof resource>, path: string, action: Answer, params?: TObject): void {
  app.get(path, async ({ call }) => pageRepresentation(call, actionPage(await action(call), call.site)), {
    check: { formats: PAGE_FORMATS },
    ...(params && { params }),
  });
}

/** Returns the schema of a path that names an entity of a type. */
export function idOf(type: string): TObject {
  return t.Object({ [type]: id(`The id of the ${type.replace('_', ' ')}.`) });
}

/** Returns the page that shows how to delete the entity at an address. */
export function deletionOf(call: Call, heading: string, address: string, entries: Action['entries']): Action {
  const text = 'A DELETE removes it permanently.';
  return { heading, text, commands: [`DELETE ${call.baseUrl}${address}?_format=json`], entries };
}
