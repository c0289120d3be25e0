import { PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import type { Site } from '../../web/site.ts';
import { type HtmlPage, htmlPage, Layout } from '../layout.tsx';

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
export function actionPage({ heading, text, commands, entries }: Action, site: Site): HtmlPage {
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
