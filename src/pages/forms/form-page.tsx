import type { ComponentChildren } from 'preact';
import { PAGE_LANGUAGE } from '../../field-types/display/language.ts';
import { FORM_TOKEN } from '../../web/form-names.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import type { AssetName } from '../assets/assets.ts';
import { htmlPage, Layout } from '../layout.tsx';
import type { PolicyNeeds } from '../security-policy.ts';
import { ErrorSummary, type FormProblem } from './error-summary.tsx';

interface FormPageProps {
  readonly site: Site;
  readonly heading: string;
  /** The text below the heading. */
  readonly lead?: ComponentChildren;
  readonly errors?: readonly FormProblem[];
  /** The breadcrumbs of this page. */
  readonly crumbs?: ComponentChildren;
  /** True for a page with a table, which takes the whole width. */
  readonly isWide?: boolean;
  readonly styles?: readonly AssetName[];
  readonly modules?: readonly AssetName[];
  readonly needs?: PolicyNeeds;
  readonly children: ComponentChildren;
}

/** Returns a page with a form or a table for editors, which search engines do not list. */
export function formPage(props: FormPageProps): HtmlPage {
  const { site, heading, lead, errors = [], crumbs, isWide, styles = [], modules = [], needs, children } = props;
  return htmlPage(
    <Layout
      site={site}
      title={errors.length > 0 ? `Error: ${heading}` : heading}
      language={PAGE_LANGUAGE}
      styles={['form.css', ...styles]}
      modules={['form.js', ...modules]}
      needs={needs}
      crumbs={crumbs}
      head={<meta name="robots" content="noindex" />}
    >
      <article class={isWide ? 'form-page wide' : 'form-page'}>
        <h1 dir="auto">{heading}</h1>
        {lead && <div class="lead">{lead}</div>}
        <ErrorSummary errors={errors} />
        {children}
      </article>
    </Layout>,
    needs,
  );
}

/** The hidden field that proves that a form was opened in the session that sends it. */
export function FormToken({ token }: { readonly token: string }) {
  return <input type="hidden" name={FORM_TOKEN} value={token} />;
}

/** The buttons of a form, which stay visible at the bottom of the window. */
export function ActionBar({ children }: { readonly children: ComponentChildren }) {
  return <div class="action-bar">{children}</div>;
}
