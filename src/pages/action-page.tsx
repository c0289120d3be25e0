import { PAGE_LANGUAGE } from '../field-types/display/language.ts';
import type { Action } from '../representation/action.ts';
import type { Site } from '../representation/page-data.ts';
import { type HtmlPage, htmlPage, Layout } from './layout.tsx';

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
